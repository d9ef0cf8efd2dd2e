# For the scripts beside this one, which source it: programs of others, built from a Go module of ours that requires theirs.
# `go install` would put them among the user's own programs, and under no version of ours.

# Writes the go.mod of standard input into a new module in FOLDER that imports the packages, and goes there:
#   go_module FOLDER PACKAGE... <go.mod
go_module() {
  local script folder=$1 package
  script=$(basename "$0")
  shift
  command -v go >/dev/null || { echo "$script: Go is needed; install Go 1.26 or later" >&2; exit 1; }
  mkdir -p "$folder"
  cd "$folder"
  cat >go.mod
  if [ $# -gt 0 ]; then
    printf '//go:build tools\n\npackage tools\n\n' >tools.go
    for package in "$@"; do printf 'import _ "%s"\n' "$package" >>tools.go; done
  fi
  go mod tidy >/dev/null 2>tidy.log || { cat tidy.log >&2; echo "$script: the modules cannot be had" >&2; exit 1; }
}

# Builds one of its programs; what is half built has another name:  go_program PACKAGE PROGRAM [LDFLAGS]
go_program() {
  echo "building $(basename "$2") into $(basename "$(dirname "$2")") (minutes on first use)" >&2
  go build -trimpath -ldflags "-s -w ${3:-}" -o "$2.part" "$1"
  mv "$2.part" "$2"
}
