package cluster

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// fileCodec writes clusters for people.
var fileCodec = codec.SnakeCase()

// FormatJSON returns m as JSON for a file: names in snake_case, two spaces for each level, a line break at the end.
// Output-only fields are left out, except the name. Members that the SDK does not know are written as they came.
//
// [Parse] makes an equal cluster of it, but for what is left out, and equal clusters give equal text.
func FormatJSON(m *ModelDevelopmentCluster) ([]byte, error) {
	data, err := encodeInput(m)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return indented(data), nil
}

// FormatYAML is [FormatJSON] for YAML. Scripts of several lines become literal blocks (|), and strings that a reader
// of YAML 1.1 or 1.2 could take for something else are in quotes.
func FormatYAML(m *ModelDevelopmentCluster) ([]byte, error) {
	data, err := encodeInput(m)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return yamlOf(data), nil
}

// WriteFile writes m to a file, as [FormatYAML] has it if the path ends in .yaml or .yml, and otherwise as
// [FormatJSON]. Comments and layout of a file that is there are lost.
//
// Whoever reads the file meanwhile, or after a failure, finds the old content or the new one and never a part: the new
// one is written to a file beside it, which then takes its place. The file keeps its mode; a new one can be read by
// all and written by its owner (0o644), as far as the process's mask (umask) allows. A symbolic link stays, and what it
// points to is written, but not in a folder that all may write to, where anybody can have put it: there it is an error.
func WriteFile(path string, m *ModelDevelopmentCluster) error {
	format := FormatJSON
	if isYAML(path, []byte("{")) {
		format = FormatYAML
	}
	data, err := format(m)
	if err != nil {
		return err
	}
	if err := replaceFile(path, data); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return nil
}

// encodeInput is the JSON of what a file is to hold of m.
func encodeInput(m *ModelDevelopmentCluster) ([]byte, error) {
	if m == nil {
		return nil, errors.New("the cluster is nil; want one to write")
	}
	in := m.input()
	in.Name = m.Name
	all, err := fileCodec.Marshal(in)
	if err != nil {
		return nil, err
	}
	// What is output only can be among the unknown members too, if it came in another form than expected.
	out := []byte{'{'}
	err = jsonx.EachMember(all, func(name, value []byte) error {
		switch jsonx.Snake(string(name)) {
		case "cluster_status", "create_time", "update_time":
			return nil
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(jsonx.AppendString(out, string(name)), ':'), value...)
		return nil
	})
	// What came from elsewhere than a file may hold broken UTF-8, which no file may.
	return bytes.ToValidUTF8(append(out, '}'), []byte("\ufffd")), err
}

func indented(data []byte) []byte {
	var b bytes.Buffer
	_ = json.Indent(&b, data, "", "  ") // valid JSON always indents
	b.WriteByte('\n')
	return b.Bytes()
}

// replaceFile writes a file beside the one of this path, and has it take the place.
func replaceFile(path string, data []byte) (err error) {
	path, err = behindLink(path)
	if err != nil {
		return err
	}
	mode, keep := fs.FileMode(0o644), false
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("this is no regular file")}
	case err == nil:
		mode, keep = info.Mode().Perm(), true
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	// Not by os.CreateTemp, whose files do not go by the mask.
	beside := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()+".tmp")
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(beside)
		}
	}()
	_, err = f.Write(data)
	if keep {
		err = cmp.Or(err, f.Chmod(mode))
	}
	if err = cmp.Or(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(beside, path)
}

// behindLink is the file that a symbolic link leads to, and path if that is none. In a folder that all may write to, such as
// /tmp, a link may be there to have a file of the caller's overwritten. Windows has no such folders, and its modes say
// nothing.
func behindLink(path string) (string, error) {
	const most = 40 // links in a row, as on Linux
	for range most {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil // what is not there yet is made there
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(path)) // where ".." in a target leads away from
		if err != nil {
			return "", err
		}
		folder, err := os.Stat(dir)
		if err != nil {
			return "", err
		}
		if runtime.GOOS != "windows" && folder.Mode().Perm()&0o002 != 0 {
			return "", &fs.PathError{Op: "write", Path: path, Err: errors.New("this is a link in a folder that all may write to")}
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		path = target
	}
	return "", &fs.PathError{Op: "write", Path: path, Err: errors.New("too many links lead to one another")}
}
