package web

import (
	"context"
	"net/netip"
	"net/url"

	"github.com/digital-asset-library/dal/app/confine"
	"github.com/digital-asset-library/dal/app/dam"
	"github.com/digital-asset-library/dal/app/maintain"
)

// Status describes the state of the library and its server.
type Status struct {
	Version      string             `json:"version" doc:"Version of dal." example:"1.0.0"`
	StartedAt    Time               `json:"started_at" doc:"When the server started."`
	Disk         StatusDisk         `json:"disk" doc:"Disk that contains the library."`
	Memory       StatusMemory       `json:"memory" doc:"Memory used by the server."`
	Queues       []StatusQueue      `json:"queues" doc:"Queues of background work."`
	Scanner      StatusScanner      `json:"scanner" doc:"Virus scanner."`
	AcceptsAny   bool               `json:"accepts_any_file" doc:"Whether files of unknown types are accepted." example:"true"`
	Engines      []StatusEngine     `json:"engines" doc:"Optional engines, such as OCR, and whether they are available."`
	Confinement  StatusConfinement  `json:"confinement" doc:"Sandboxing of the processes that read files."`
	Models       []StatusModel      `json:"models" doc:"Embedding models."`
	AI           Null[StatusAI]     `json:"ai" doc:"AI endpoint that describes pictures; null if there is none."`
	Mail         Null[StatusMail]   `json:"mail" doc:"Mail server that sends codes to guests; null if there is none."`
	Index        StatusIndex        `json:"index" doc:"State of the search index."`
	Analytics    StatusAnalytics    `json:"analytics" doc:"Usage analytics status."`
	LastBackupAt NullTime           `json:"last_backup_at" doc:"When the last successful backup was made; null for none."`
	LastBackup   Null[StatusBackup] `json:"last_backup" doc:"Result of the last successful backup; null for none."`
	LastCheckAt  NullTime           `json:"last_check_at" doc:"When dal check last ended; null for never."`
	LastCheck    Null[StatusCheck]  `json:"last_check" doc:"Result of the last check; null for none."`
	Warnings     []StatusWarning    `json:"warnings" doc:"Warnings that need an admin, most severe first."`
}

type (
	// StatusDisk describes the disk usage.
	StatusDisk struct {
		Free      *int64        `json:"free" doc:"Free space in bytes; null if the OS does not report it." example:"210453397504"`
		Total     *int64        `json:"total" doc:"Total space in bytes; null if the OS does not report it." example:"499963174912"`
		Reserve   *int64        `json:"reserve" doc:"Bytes reserved for the database." example:"536870912"`
		IsFull    bool          `json:"is_full" doc:"Whether uploads, exports and the search index are waiting for space." example:"false"`
		Originals int64         `json:"originals" doc:"Total size of all uploaded files in bytes." example:"73400320000"`
		Folders   StatusFolders `json:"folders"`
	}
	// StatusFolders contains the sizes of the library's other data, in bytes.
	StatusFolders struct {
		Records    *int64 `json:"records" doc:"Size of the database in bytes." example:"104857600"`
		Renditions *int64 `json:"renditions" doc:"Size of all renditions in bytes." example:"2147483648"`
		Index      *int64 `json:"index" doc:"Size of the search index in bytes." example:"52428800"`
		Exports    *int64 `json:"exports" doc:"Size of all exports in bytes." example:"0"`
	}
	// StatusMemory describes the memory usage of the server.
	StatusMemory struct {
		Used  int64  `json:"used" doc:"Memory obtained from the OS, in bytes." example:"183500800"`
		Limit *int64 `json:"limit" doc:"Soft limit in bytes; above it, unused memory is returned. Null for none." example:"335544320"`
	}
	// StatusQueue describes the queue of one kind of job.
	StatusQueue struct {
		Name     string   `json:"name" example:"ingest"`
		Waiting  int      `json:"waiting" minimum:"0" doc:"Number of waiting jobs." example:"12"`
		Running  int      `json:"running" minimum:"0" doc:"Number of running jobs." example:"2"`
		GivenUp  int      `json:"given_up" minimum:"0" doc:"Number of jobs that failed permanently." example:"0"`
		OldestAt NullTime `json:"oldest_at" doc:"When the longest-waiting job was due; null if none is waiting."`
	}
	// StatusScanner describes the virus scanner.
	StatusScanner struct {
		HasClamd     bool     `json:"has_clamd" doc:"Whether ClamAV scans files, in addition to the built-in signatures." example:"true"`
		IsReachable  bool     `json:"is_reachable" doc:"Whether the scanner responds. Otherwise, files wait for it." example:"true"`
		Version      *string  `json:"version" doc:"Version of ClamAV; null while it does not respond." example:"ClamAV 1.4.1"`
		SignaturesAt NullTime `json:"signatures_at" doc:"When the ClamAV signatures were created."`
	}
	// StatusEngine is an optional engine.
	StatusEngine struct {
		Name        string `json:"name" example:"text_recognition"`
		IsAvailable bool   `json:"is_available" doc:"Whether the engine is available on this server." example:"false"`
	}
	// StatusConfinement describes the sandbox of the processes that read files. It requires a
	// Linux kernel with Landlock and seccomp.
	StatusConfinement struct {
		Files   bool `json:"files" doc:"Whether they can only access their own files." example:"true"`
		Network bool `json:"network" doc:"Whether they can neither access the network nor start programs." example:"true"`
	}
	// StatusModel is an embedding model.
	StatusModel struct {
		Name    string `json:"name" example:"use-lite-en"`
		Assets  int    `json:"assets" minimum:"0" doc:"Number of assets whose texts the model has processed." example:"1200"`
		Refused int    `json:"refused" minimum:"0" doc:"Number of these assets whose texts the model refused." example:"0"`
	}
	// StatusAI describes the AI endpoint.
	StatusAI struct {
		Model       string `json:"model" doc:"Requested model." example:"endpoint/llava"`
		Budget      int    `json:"budget" doc:"Maximum requests per hour; excess requests wait." example:"100"`
		Used        int    `json:"used" minimum:"0" doc:"Requests in the current hour." example:"12"`
		IsReachable bool   `json:"is_reachable" doc:"Whether it responded to the last request." example:"true"`
	}
	// StatusMail describes the mail server.
	StatusMail struct {
		Server      string `json:"server" doc:"Address given with --smtp, without the password." example:"smtp://mail.example.com:587"`
		IsReachable bool   `json:"is_reachable" doc:"Whether it responded to the last request." example:"true"`
	}
	// StatusIndex describes the progress of the search index.
	StatusIndex struct {
		Documents  int64 `json:"documents" doc:"Number of assets, including those in the trash." example:"1200"`
		Pending    int64 `json:"pending" doc:"Number of changes not yet in the full-text index." example:"0"`
		LagSeconds int64 `json:"lag_seconds" doc:"Age of the oldest of these changes in seconds." example:"0"`
	}
	// StatusAnalytics describes the state of usage analytics.
	StatusAnalytics struct {
		IsOn    bool  `json:"is_on" doc:"Whether usage is counted." example:"true"`
		Waiting int   `json:"waiting" minimum:"0" doc:"Number of counters not yet written." example:"3"`
		Lost    int64 `json:"lost" minimum:"0" doc:"Events dropped since startup because the buffer was full." example:"0"`
	}
	// StatusBackup is the result of a backup.
	StatusBackup struct {
		Target     string  `json:"target" doc:"Folder of the backup." example:"/mnt/disk/dal"`
		Files      int64   `json:"files" doc:"Number of files in the snapshot." example:"1200"`
		Bytes      int64   `json:"bytes" doc:"Total size of these files in bytes." example:"73400320000"`
		Problems   int64   `json:"problems" doc:"Number of damaged or missing files." example:"0"`
		IsVerified bool    `json:"is_verified" doc:"Whether files already in the target were read and verified again." example:"false"`
		Failure    *string `json:"failure" doc:"Why a later backup failed; null if none did." example:"The folder is not there."`
	}
	// StatusCheck is the result of a check.
	StatusCheck struct {
		Files       int  `json:"files" doc:"Number of files checked." example:"1200"`
		Problems    int  `json:"problems" doc:"Number of problems found." example:"0"`
		IsEveryByte bool `json:"is_every_byte" doc:"Whether the contents of the files were read; false for dal check --quick." example:"true"`
	}
	// StatusWarning is a problem that an administrator should fix.
	StatusWarning struct {
		Code     WarningCode `json:"code" example:"no_backup"`
		Message  string      `json:"message" example:"No backup has ever been made."`
		WhatToDo string      `json:"what_to_do" doc:"How to fix it." example:"Set --backup-dir to a folder on another disk."`
	}
	statusOutput struct{ Body one[Status] }
)

// WarningCode names a warning.
type WarningCode string

// Values lists the codes.
func (WarningCode) Values() []WarningCode {
	return mapped(dam.Values[maintain.WarningCode](), func(c maintain.WarningCode) WarningCode { return WarningCode(c) })
}

func (s *Server) statusRoutes() {
	r := group{tag: "Status", path: "/status"}.route("showStatus", "GET", "", "Show the server status")
	r.administration = true
	register(s, r, s.showStatus)
}

func (s *Server) showStatus(ctx context.Context, _ *struct{}) (*statusOutput, error) {
	r := requestOf(ctx)
	st, err := s.app.Maintenance.Status(ctx, r.actor)
	if err != nil {
		return nil, err
	}
	v := toStatus(st)
	if at, err := url.Parse(r.base); err == nil && at.Scheme != "https" && !isLoopback(at.Hostname()) {
		v.Warnings = append(v.Warnings, StatusWarning{
			Code:     WarningCode(maintain.WarnNotEncrypted),
			Message:  "People come to " + r.base + " without encryption: passwords and files can be read on their way.",
			WhatToDo: "Put a proxy with TLS in front of the server, and set --site-url and --trusted-proxy.",
		})
	}
	return &statusOutput{one[Status]{v}}, nil
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}

func toStatus(st *maintain.Status) Status {
	v := Status{
		Version: st.Version, StartedAt: Time{st.StartedAt}, Disk: toStatusDisk(&st.Disk),
		Memory:     StatusMemory{st.Memory.Used, number(st.Memory.Limit)},
		AcceptsAny: st.AcceptAny, Queues: []StatusQueue{}, Models: []StatusModel{}, Warnings: []StatusWarning{},
		Scanner: StatusScanner{
			HasClamd: st.Scanner.Clamd, IsReachable: st.Scanner.Down == "", Version: text(st.Scanner.Version),
			SignaturesAt: NullTime{st.Scanner.SignaturesAt},
		},
		Engines: []StatusEngine{
			{"text_recognition", st.Tasks[dam.TaskOCR]}, {"tags", st.Tasks[dam.TaskTags]}, {"captions", st.Tasks[dam.TaskCaption]},
		},
		Confinement: StatusConfinement(confine.Supported()),
		Analytics:   StatusAnalytics{st.Analytics.On, st.Analytics.Waiting, st.Analytics.Lost},
		Index:       StatusIndex{st.Index.Documents, st.Index.Behind, int64(st.Index.Lag.Seconds())},
	}
	for _, q := range st.Queues {
		v.Queues = append(v.Queues, StatusQueue{q.Name, q.Waiting, q.Running, q.Spent, NullTime{q.OldestAt}})
	}
	if ai := st.AI; ai != nil {
		v.AI.Value = &StatusAI{ai.Model, ai.Budget, ai.Used, ai.Down == ""}
	}
	if m := st.Mail; m != nil {
		v.Mail.Value = &StatusMail{m.Server, m.Down == ""}
	}
	for _, m := range st.Models {
		v.Models = append(v.Models, StatusModel{m.Model, m.Vectors, m.Refused})
	}
	if b := st.Backup; b != nil {
		v.LastBackupAt.Time = &b.Ended
		v.LastBackup.Value = &StatusBackup{Target: b.Target, Files: b.Files, Bytes: b.Bytes, Problems: b.Problems, IsVerified: b.Verified}
		if st.Failed != nil {
			v.LastBackup.Value.Failure = text(st.Failed.Error)
		}
	}
	if c := st.Check; c != nil {
		v.LastCheckAt.Time = &c.Ended
		v.LastCheck.Value = &StatusCheck{c.Files, c.Problems, c.EveryByte}
	}
	for _, w := range st.Warnings {
		v.Warnings = append(v.Warnings, StatusWarning{WarningCode(w.Code), w.Message, w.ToDo})
	}
	return v
}

func toStatusDisk(d *maintain.DiskStatus) StatusDisk {
	size := func(name string) *int64 {
		n, known := d.Folders[name]
		if !known {
			return nil
		}
		return &n
	}
	return StatusDisk{
		Free: number(d.Free), Total: number(d.Total), Reserve: number(d.Reserve), IsFull: d.Full, Originals: d.Originals,
		Folders: StatusFolders{size("records"), size("renditions"), size("index"), size("exports")},
	}
}
