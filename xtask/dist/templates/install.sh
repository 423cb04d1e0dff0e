#!/bin/sh
# Installs marq @VERSION@ below PREFIX (default: ~/.local).
#
#   install.sh            downloads the archive for this machine, and checks its checksum
#   install.sh ARCHIVE    installs from a downloaded archive, without network; checks it if SHA256SUMS is beside it
#   install.sh --uninstall
set -eu

version="@VERSION@"
release="@RELEASE@"
prefix="${PREFIX:-$HOME/.local}"

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

# Prints the name of the archive for this machine.
archive_name() {
    case "$(uname -s)-$(uname -m)" in
        Linux-x86_64) target=x86_64-unknown-linux-musl ;;
        Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
        Darwin-x86_64) target=x86_64-apple-darwin ;;
        Darwin-arm64) target=aarch64-apple-darwin ;;
        *) fail "no program was built for $(uname -s) on $(uname -m): build it from source (@REPOSITORY@)" ;;
    esac
    echo "marq-$version-$target.tar.gz"
}

download() {
    if command -v curl >/dev/null; then
        curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --output "$2" "$1"
    elif command -v wget >/dev/null; then
        wget --quiet --output-document="$2" "$1"
    else
        fail "needs curl or wget"
    fi
}

# Compares the checksum of the archive $1 with the line in the file $2.
check_sum() {
    expected=$(awk -v name="$(basename "$1")" '$2 == name { print $1 }' "$2")
    [ -n "$expected" ] || fail "$2 does not name $(basename "$1"): nothing was installed"
    if command -v sha256sum >/dev/null; then
        actual=$(sha256sum "$1" | cut -d ' ' -f 1)
    else
        actual=$(shasum -a 256 "$1" | cut -d ' ' -f 1)
    fi
    [ "$expected" = "$actual" ] || fail "the checksum of $(basename "$1") is wrong: nothing was installed"
}

if [ "${1-}" = --uninstall ]; then
    rm -f "$prefix/bin/marq"
    echo "removed $prefix/bin/marq"
    exit 0
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ $# -gt 0 ]; then
    archive=$1
    [ -f "$archive" ] || fail "$archive is not a file"
    sums=$(dirname "$archive")/SHA256SUMS
    if [ -f "$sums" ]; then
        check_sum "$archive" "$sums"
    else
        echo "not checked: SHA256SUMS is not beside the archive"
    fi
else
    archive="$folder/$(archive_name)"
    download "$release/$(archive_name)" "$archive"
    download "$release/SHA256SUMS" "$folder/SHA256SUMS"
    check_sum "$archive" "$folder/SHA256SUMS"
fi
tar -xzf "$archive" -C "$folder"
mkdir -p "$prefix/bin"
# The rename replaces the program at once, also while the old one runs.
cp "$folder"/marq-*/marq "$prefix/bin/.marq.new"
mv "$prefix/bin/.marq.new" "$prefix/bin/marq"
"$prefix/bin/marq" --version
echo "installed $prefix/bin/marq"
case ":$PATH:" in
    *":$prefix/bin:"*) echo "next: \`marq init\` in a project connects an agent" ;;
    *) echo "next: add $prefix/bin to PATH, then run \`marq init\` in a project" ;;
esac
