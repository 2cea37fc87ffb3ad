// The app: one process for each person, as their own account, behind svc-wrap.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

var (
	trava  sync.Mutex // each request has a goroutine
	guarda = filepath.Join(os.Getenv("SVC_APP_DATA_DIR"), "contagem")
)

// Only a file that was never written counts as 0: what can't be read is not written over.
func ler() (int, error) {
	texto, err := os.ReadFile(guarda)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(texto)))
}

// A backend may be ended at any time: the file is written whole or not at all.
func guardar(contagem int) error {
	if err := os.WriteFile(guarda+".novo", []byte(strconv.Itoa(contagem)), 0o600); err != nil {
		return err
	}
	return os.Rename(guarda+".novo", guarda)
}

func contar(resposta http.ResponseWriter, pedido *http.Request) {
	trava.Lock()
	defer trava.Unlock()
	contagem, err := ler()
	if err == nil && pedido.Method == http.MethodPost {
		contagem++
		err = guardar(contagem)
	}
	if err != nil {
		http.Error(resposta, err.Error(), http.StatusInternalServerError)
		return
	}
	resposta.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(resposta, `{"contagem":%d}`, contagem)
}

func main() {
	socket, pagina := os.Args[1], os.Args[2]
	lugar, err := net.Listen("unix", socket)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/api/contagem", contar)
	http.Handle("/", http.FileServer(http.Dir(pagina)))
	log.Fatal(http.Serve(lugar, nil))
}
