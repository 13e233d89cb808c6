package slurmtest

// code is a Slurm error number.
type code int

const (
	codeNone              code = 0
	codeUnspecified       code = -1
	codeNotPermitted      code = 1
	codeUnexpected        code = 1000
	codeNoController      code = 1800
	codePartition         code = 2000
	codeAccess            code = 2002
	codeNodeCount         code = 2006
	codeUserID            code = 2010
	codeTooLong           code = 2012
	codeNodeConfig        code = 2014
	codeNodeNotAvailable  code = 2068
	codePartitionNotNow   code = 2015
	codeJobID             code = 2017
	codeNodeName          code = 2018
	codeWritingScript     code = 2019
	codeTransition        code = 2020
	codeAlreadyDone       code = 2021
	codeFeature           code = 2029
	codeDependency        code = 2038
	codeHeld              code = 2042
	codeAccount           code = 2045
	codeLicense           code = 2048
	codePolicy            code = 2050
	codeTimeLimit         code = 2051
	codeReservationDenied code = 2052
	codeReservation       code = 2053
	codeNoDirectory       code = 2063
	codeQOS               code = 2066
	codeGres              code = 2072
	codeNotPending        code = 2073
	codeArray             code = 2081
	codeFinished          code = 2084
	codeLabel             code = 2099
	codeGroupID           code = 2113
	codeTres              code = 2115
	codeNice              code = 2123
	codeUserName          code = 2166
	codeExtra             code = 2171
	codeNothingToSignal   code = 2173
	codeNoDatabase        code = 7000
	codeQuery             code = 9000
	codeConvert           code = 9202
	codeFlag              code = 9207
	codeWantList          code = 9208
	codeWantObject        code = 9209
)

// failures says what each number is called and which HTTP status it brings.
// The texts are the daemon's own, to the letter.
var failures = map[code]struct {
	status int
	text   string
}{
	codeNone:              {200, "No error"},
	codeUnspecified:       {500, "Unspecified error"},
	codeNotPermitted:      {500, "Operation not permitted"},
	codeUnexpected:        {500, "Unexpected message received"},
	codeNoController:      {502, "Unable to contact slurm controller (connect failure)"},
	codePartition:         {500, "Invalid partition name specified"},
	codeAccess:            {500, "Access/permission denied"},
	codeNodeCount:         {500, "Node count specification invalid"},
	codeUserID:            {500, "Invalid user id"},
	codeTooLong:           {500, "Pathname of a file, directory or other parameter too long"},
	codeNodeConfig:        {500, "Requested node configuration is not available"},
	codeNodeNotAvailable:  {500, "Required node not available (down, drained or reserved)"},
	codePartitionNotNow:   {500, "Requested partition configuration not available now"},
	codeJobID:             {404, "Invalid job id specified"},
	codeNodeName:          {500, "Invalid node name specified"},
	codeWritingScript:     {500, "I/O error writing script/environment to file"},
	codeTransition:        {500, "Job can not be altered now, try again later"},
	codeAlreadyDone:       {500, "Job/step already completing or completed"},
	codeFeature:           {500, "Invalid feature specification"},
	codeDependency:        {500, "Job dependency problem"},
	codeHeld:              {500, "Job is in held state, pending scheduler release"},
	codeAccount:           {500, "Invalid account or account/partition combination specified"},
	codeLicense:           {500, "Invalid license specification"},
	codePolicy:            {500, "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"},
	codeTimeLimit:         {500, "Requested time limit is invalid (missing or exceeds some limit)"},
	codeReservationDenied: {500, "Access denied to requested reservation"},
	codeReservation:       {500, "Requested reservation is invalid"},
	codeNoDirectory:       {500, "Job cannot be submitted without the current working directory specified."},
	codeQOS:               {500, "Invalid qos specification"},
	codeGres:              {500, "Invalid generic resource (gres) specification"},
	codeNotPending:        {500, "Job is no longer pending execution"},
	codeArray:             {500, "Invalid job array specification"},
	codeFinished:          {500, "Job has already finished"},
	codeLabel:             {500, "Invalid mcs_label specified"},
	codeGroupID:           {500, "Invalid group id"},
	codeTres:              {500, "Invalid Trackable RESource (TRES) specification"},
	codeNice:              {500, "Invalid --nice value"},
	codeUserName:          {422, "Unable to resolve user ID to user name"},
	codeExtra:             {500, "Invalid extra constraints specification"},
	codeNothingToSignal:   {500, "Invalid signal jobs request, at least one job id or filter is required."},
	codeNoDatabase:        {502, "Unable to connect to database"},
	codeQuery:             {422, "Query empty or not RFC7320 compliant"},
	codeConvert:           {500, "Unable to convert Data type"},
	codeFlag:              {500, "Data parser unable to parse invalid flag"},
	codeWantList:          {500, "Data parser expected a list"},
	codeWantObject:        {500, "Data parser expected a dictionary or object"},
}

func (c code) text() string { return failures[c].text }
