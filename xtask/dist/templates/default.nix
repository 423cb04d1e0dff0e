{ stdenvNoCC, fetchurl, lib }:

let
  version = "@VERSION@";
  archives = {
    x86_64-linux = {
      url = "@RELEASE@/@ARCHIVE:x86_64-unknown-linux-musl@";
      sha256 = "@SHA256:x86_64-unknown-linux-musl@";
    };
    aarch64-linux = {
      url = "@RELEASE@/@ARCHIVE:aarch64-unknown-linux-musl@";
      sha256 = "@SHA256:aarch64-unknown-linux-musl@";
    };
  };
in
stdenvNoCC.mkDerivation {
  pname = "marquetry";
  inherit version;
  src = fetchurl archives.${stdenvNoCC.hostPlatform.system};
  installPhase = "install -Dm755 marq $out/bin/marq";
  meta = {
    description = "@SUMMARY@";
    homepage = "@REPOSITORY@";
    license = with lib.licenses; [ asl20 mit ];
    mainProgram = "marq";
    platforms = builtins.attrNames archives;
  };
}
