class Marquetry < Formula
  desc "@SUMMARY@"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["Apache-2.0", "MIT"]

  on_macos do
    on_arm do
      url "@RELEASE@/@ARCHIVE:aarch64-apple-darwin@"
      sha256 "@SHA256:aarch64-apple-darwin@"
    end
    on_intel do
      url "@RELEASE@/@ARCHIVE:x86_64-apple-darwin@"
      sha256 "@SHA256:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@RELEASE@/@ARCHIVE:aarch64-unknown-linux-musl@"
      sha256 "@SHA256:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@RELEASE@/@ARCHIVE:x86_64-unknown-linux-musl@"
      sha256 "@SHA256:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "marq"
  end

  test do
    (testpath/"a.json").write "{\"a\": 1}\n"
    assert_equal "1", shell_output("#{bin}/marq read a.json '$.a'").strip
  end
end
