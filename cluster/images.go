package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trainingclusters/trainingclusters-go/internal/jsonx"
)

// ImagePolicy says what [Client.EditCluster] does about the images of node pools. An update that touches node_pools
// has to say something about each pool's image, and what reads back does not tell what to say: it is empty on a
// cluster that was never updated, and filled in after the first update, whether or not anybody chose it.
//
// A pool whose NodeImage the edit function sets to something else is left out of the policy: that image is sent.
type ImagePolicy struct {
	kind  imageKind
	image string
	pools []string
}

type imageKind int

const (
	keepImages imageKind = iota
	pinImages
	pinCurrentImages
	latestImages
)

// KeepImages is the default: no image is sent, and under [UpdateModeUserOnly] each pool goes on with the one it
// runs. No pool is pinned by it, so that a later update under [UpdateModeUserAndService] can still move them; a pool
// that was pinned before is not any more.
func KeepImages() ImagePolicy { return ImagePolicy{} }

// PinImages sends an image for the named pools, or for all if none is named, and keeps the others' as [KeepImages]
// does; under [UpdateModeUserAndService], which keeps none, it is for all pools. Their nodes are recreated if they run
// another one. image is projects/PROJECT/global/images/IMAGE; an image family is accepted with a warning, since it may
// mean another image at each update.
func PinImages(image string, pools ...string) ImagePolicy {
	return ImagePolicy{kind: pinImages, image: image, pools: slices.Clone(pools)}
}

// PinCurrentImages sends for each pool the image that was read, so that no update moves it, in either mode. It is
// refused on a cluster that does not show its images yet because it was never updated.
func PinCurrentImages() ImagePolicy { return ImagePolicy{kind: pinCurrentImages} }

// LatestImages sends no image and updates under [UpdateModeUserAndService], so that each pool moves to today's
// default image of its machine type, and no pool stays pinned. Where a newer image exists, nodes and login nodes are
// recreated, so that it also takes the permission for [EffectNodeRecreation] and [EffectLoginRecreation].
func LatestImages() ImagePolicy { return ImagePolicy{kind: latestImages} }

// apply sets the node images of want by the policy. touched says that node_pools is sent in any case; so says the
// result, once the policy has had its say.
func (i ImagePolicy) apply(current, want *ModelDevelopmentCluster, mode UpdateMode, touched bool) (send bool, err error) {
	if err := i.check(want); err != nil {
		return false, err
	}
	send = touched || i.kind == latestImages || i.kind == pinCurrentImages
	var open []*NodePool // those whose image the edit did not choose
	for _, pool := range want.NodePools {
		before := current.NodePool(pool.ID)
		switch {
		case before != nil && pool.NodeImage != before.NodeImage || before == nil && pool.NodeImage != "":
		case i.kind == pinImages && (len(i.pools) == 0 || slices.Contains(i.pools, pool.ID)):
			pool.NodeImage, send = i.image, true
		case i.kind == pinCurrentImages && before != nil && before.NodeImage == "":
			return false, fmt.Errorf("PinCurrentImages: the node_image of pool %q reads back empty, as it does until the first update; "+
				"name the image with PinImages, or use KeepImages", pool.ID)
		case i.kind == pinImages && before != nil && mode == UpdateModeUserAndService:
			return false, fmt.Errorf("PinImages does not name the pool %q, which %s would move to today's default image; name "+
				"it too, or no pool for all of them", pool.ID, mode)
		case i.kind != pinCurrentImages:
			open = append(open, pool)
		}
	}
	for _, pool := range open {
		if send {
			pool.NodeImage = ""
		}
	}
	return send, nil
}

func (i ImagePolicy) check(want *ModelDevelopmentCluster) error {
	if i.kind == pinImages && i.image == "" {
		return errors.New("PinImages needs an image, such as projects/PROJECT/global/images/IMAGE")
	}
	for _, name := range i.pools {
		if want.NodePool(name) == nil {
			return fmt.Errorf("PinImages: the cluster has no node pool %q", name)
		}
	}
	return nil
}

// isFamily tells an image family, which stands for its newest image, from an image.
func isFamily(image string) bool { return strings.Contains(image, "/images/family/") }

// leavesImage reports whether all that differs is that an image which read back is left to the service.
func leavesImage(d jsonx.Difference) bool {
	return d.New == nil && strings.HasSuffix(d.Path, "].node_image")
}

// settleImages notes which images the update sends, and gives the result those that are known: a pool whose image is
// left out keeps the one it runs under USER_ONLY, and it reads back as before.
func (p *Plan) settleImages(paths []maskPath) {
	p.images = map[string]string{}
	sent, current := sends(paths, PathNodePools), p.current.poolsByID()
	p.result.NodePools = slices.Clone(p.result.NodePools) // current may have the same
	for i, pool := range p.result.NodePools {
		if sent {
			p.images[pool.ID] = pool.NodeImage
		}
		before := current[pool.ID]
		if before == nil || p.images[pool.ID] != "" {
			continue
		}
		image := ""
		if p.Mode == UpdateModeUserOnly {
			image = before.NodeImage
		}
		if image != pool.NodeImage {
			settled := *pool
			settled.NodeImage = image
			p.result.NodePools[i] = &settled
		}
	}
}

// imageChange says why a pool moves to another image; "" if it does not.
func (p *Plan) imageChange(before, after *NodePool) (reason string, possible bool) {
	was, sent := before.NodeImage, p.images[after.ID]
	switch {
	case sent == "" && p.Mode == UpdateModeUserOnly:
		return "", false
	case sent == "" && was == "":
		return "no node_image is sent: from the image of its creation to today's default of its machine type", true
	case sent == "":
		return "no node_image is sent: to today's default image of its machine type", true
	case was == "":
		return "node_image is sent, and what the pool runs does not read back before the first update", true
	case was != sent:
		return "node_image changes", false
	case isFamily(sent):
		return "node_image is a family, which may have a newer image by now", true
	}
	return "", false
}

// imageEffect says what an update that sends the pool means for its image from now on.
func (p *Plan) imageEffect(pool *NodePool) {
	switch image := p.images[pool.ID]; {
	case image != "" && !isFamily(image):
		p.effect(EffectImagePinned, pool, 0, false, "no update moves it from "+image+" until one leaves node_image out")
	case image == "" && p.Mode == UpdateModeUserOnly && p.was[pool.ID] != nil:
		reason := "no node_image is sent, and " + string(p.Mode) + " keeps what runs"
		if p.was[pool.ID].NodeImage != "" {
			reason += "; a pin ends"
		}
		p.effect(EffectImageKept, pool, 0, false, reason)
	}
}
