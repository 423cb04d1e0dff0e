# Installs marq @VERSION@ below $env:PREFIX (default: %LOCALAPPDATA%\Programs\marquetry).
#
#   install.ps1               downloads the archive, and checks its checksum
#   install.ps1 -Archive ZIP  installs from a downloaded archive, without network
param([string]$Archive = "")
$ErrorActionPreference = "Stop"

$name = "marq-@VERSION@-x86_64-pc-windows-gnu.zip"
$release = "@RELEASE@"
$prefix = if ($env:PREFIX) { $env:PREFIX } else { Join-Path $env:LOCALAPPDATA "Programs\marquetry" }
$folder = Join-Path ([System.IO.Path]::GetTempPath()) ([System.Guid]::NewGuid())
New-Item -ItemType Directory -Path $folder | Out-Null

try {
    $sums = Join-Path $folder "SHA256SUMS"
    if ($Archive) {
        $beside = Join-Path (Split-Path -Parent (Resolve-Path $Archive)) "SHA256SUMS"
        if (Test-Path $beside) { Copy-Item $beside $sums }
    } else {
        $Archive = Join-Path $folder $name
        Invoke-WebRequest -UseBasicParsing "$release/$name" -OutFile $Archive
        Invoke-WebRequest -UseBasicParsing "$release/SHA256SUMS" -OutFile $sums
    }
    if (Test-Path $sums) {
        $file = Split-Path -Leaf $Archive
        $line = Get-Content $sums | Where-Object { $_.EndsWith("  $file") }
        $actual = (Get-FileHash -Algorithm SHA256 $Archive).Hash.ToLowerInvariant()
        if (-not $line -or $line.Split(" ")[0] -ne $actual) { throw "the checksum of $file is wrong: nothing was installed" }
    }
    Expand-Archive -Path $Archive -DestinationPath $folder
    New-Item -ItemType Directory -Force -Path $prefix | Out-Null
    Copy-Item (Get-ChildItem -Recurse -Filter marq.exe $folder | Select-Object -First 1).FullName (Join-Path $prefix "marq.exe") -Force
    & (Join-Path $prefix "marq.exe") --version
    Write-Output "installed $prefix\marq.exe"
    if (($env:PATH -split ";") -notcontains $prefix) { Write-Output "next: add $prefix to PATH, then run ``marq init`` in a project" }
} finally {
    Remove-Item -Recurse -Force $folder
}
