// A real FerretDB 1.24 for the tests: FerretDB as a library on a PostgreSQL database.
//
//	FERRETDB_POSTGRESQL_URL=postgres://user:password@127.0.0.1:5432/db ferretdb [-listen 127.0.0.1:0]
//
// The URL comes from the environment because it holds a password. When clients are accepted it prints one line,
// {"url":"mongodb://127.0.0.1:PORT/"}. It ends when its standard input closes, so it never outlives its parent.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/FerretDB/FerretDB/build/version"
	"github.com/FerretDB/FerretDB/ferretdb"
)

const (
	library     = "github.com/FerretDB/FerretDB"
	urlVariable = "FERRETDB_POSTGRESQL_URL"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on; port 0 is any free one")
	certificate := flag.String("tls-certificate", "", "file with the certificate, in PEM; the server then takes TLS alone")
	key := flag.String("tls-key", "", "file with the certificate's key")
	clients := flag.String("tls-clients", "", "file with the authority of clients, which then have to show a certificate")
	flag.Parse()
	listener := ferretdb.ListenerConfig{TCP: *listen}
	if *certificate != "" {
		listener = ferretdb.ListenerConfig{TLS: *listen, TLSCertFile: *certificate, TLSKeyFile: *key, TLSCAFile: *clients}
	}
	if err := serve(listener); err != nil {
		fmt.Fprintln(os.Stderr, "ferretdb:", err)
		os.Exit(1)
	}
}

func serve(listener ferretdb.ListenerConfig) error {
	postgresql := os.Getenv(urlVariable)
	if postgresql == "" {
		return fmt.Errorf("environment variable %s is not set", urlVariable)
	}
	version.Get().Version = libraryVersion()
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:      listener,
		Logger:        slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Handler:       "postgresql",
		PostgreSQLURL: postgresql,
	})
	if err != nil {
		return err
	}
	go server.Run(context.Background())
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{"url": server.MongoDBURI()}); err != nil {
		return err
	}
	// It keeps no state of its own, so there is nothing to shut down: PostgreSQL sees the connections close.
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// libraryVersion tells what was linked: as a library FerretDB calls its own version "unknown".
func libraryVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == library {
				return module.Version
			}
		}
	}
	return "unknown"
}
