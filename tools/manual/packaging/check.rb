# Checks what Homebrew's cask, Scoop's and winget's manifests in OUT say against the
# release in DIST: each download is an archive with that hash, which has all that is
# to be installed.
#
#   ruby check.rb DIST OUT
require 'json'
require 'open3'
require 'yaml'

DIST, OUT = ARGV

# Reads a cask as Homebrew does, for one system and processor.
class Cask
  attr_reader :url, :sha256, :files

  def initialize(path, system, processor)
    @system, @processor, @files = system, processor, []
    instance_eval(File.read(path), path)
  end

  def cask(_name) = yield
  def os(choices = nil) = choices ? @os = choices.fetch(@system) : @os
  def arch(choices = nil) = choices ? @arch = choices.fetch(@processor) : @arch
  def version(number = nil) = number ? @version = number : @version
  def staged_path = '/staged'

  def sha256(choices = nil)
    return @sha256 unless choices
    mac = { arm: :arm, intel: :intel }
    linux = { arm: :arm64_linux, intel: :x86_64_linux }
    @sha256 = choices.fetch((@system == :macos ? mac : linux).fetch(@processor))
  end

  def url(value = nil) = value ? @url = value : @url
  def name(_) = nil
  def desc(text) = text.length > 80 && abort("error: the cask's description has #{text.length} characters, of 80")
  def homepage(_) = nil
  def postflight = nil # for macOS alone

  %i[binary bash_completion fish_completion zsh_completion manpage].each do |stanza|
    define_method(stanza) { |path| @files << path }
  end
end

def check(door, url, hash, files)
  archive = File.join(DIST, File.basename(url))
  File.exist?(archive) or abort "error: #{door}: #{url} is no archive of the release"
  sums = File.readlines(File.join(DIST, 'SHA256SUMS'), chomp: true)
  sums.include?("#{hash.downcase}  #{File.basename(url)}") or abort "error: #{door}: #{url} has another hash"
  list = archive.end_with?('.zip') ? ['unzip', '-Z1', archive] : ['tar', '-tzf', archive]
  held, status = Open3.capture2(*list)
  status.success? or abort "error: #{list.join(' ')}"
  missing = files - held.split("\n")
  missing.empty? or abort "error: #{door}: #{archive} lacks #{missing.join(', ')}"
  puts "ok: #{door}: #{File.basename(url)} has #{files.length} files to install"
end

[:macos, :linux].product([:arm, :intel]) do |system, processor|
  cask = Cask.new(File.join(OUT, 'homebrew/context.rb'), system, processor)
  check('homebrew', cask.url, cask.sha256, cask.files)
end

scoop = JSON.parse(File.read(File.join(OUT, 'scoop/context.json')))
scoop['architecture'].each do |name, download|
  check('scoop', download['url'], download['hash'], scoop['bin'])
  updated = scoop['autoupdate']['architecture'][name]['url'].gsub('$version', scoop['version'])
  updated == download['url'] or abort "error: scoop: an update would download #{updated}"
end

parts = Dir[File.join(OUT, 'winget/*.yaml')].map { |path| YAML.safe_load(File.read(path)) }
installer = parts.find { |part| part['ManifestType'] == 'installer' }
parts.map { |part| part.values_at('PackageIdentifier', 'PackageVersion', 'ManifestVersion') }.uniq.one? or abort 'error: winget: the manifests differ'
parts.map { |part| part['ManifestType'] }.sort == %w[defaultLocale installer version] or abort 'error: winget: a manifest is missing'
installer['Installers'].each do |download|
  files = installer['NestedInstallerFiles'].map { |file| file['RelativeFilePath'] }
  check('winget', download['InstallerUrl'], download['InstallerSha256'], files)
end
