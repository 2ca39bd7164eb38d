# Runs a formula of Homebrew with stand-ins for its words: every word is one that formulas have, each system gets one
# archive with its checksum, and what is installed is in the archives.
#
# usage: recipes.rb FORMULA FOLDER
#
# FOLDER has the licences that the formula names.
ARCHIVED = %w[ptx-analyzer man/man1/ptx-analyzer.1 completions/ptx-analyzer completions/_ptx-analyzer completions/ptx-analyzer.fish].freeze

# In place of the class of Homebrew.
class Formula
  FACTS = {}
  ARCHIVES = {}

  class << self
    attr_reader :tested

    %i[desc homepage license version].each do |name|
      define_method(name) { |value| FACTS[name] = value }
    end
    %i[on_macos on_linux on_arm on_intel].each do |name|
      define_method(name) do |&block|
        @place = [*@place, name]
        instance_eval(&block)
        @place = @place[..-2]
      end
    end
    def url(value) = (ARCHIVES[@place] ||= {})[:url] = value
    def sha256(value) = (ARCHIVES[@place] ||= {})[:sha256] = value
    def test(&block) = @tested = block
  end

  # In place of a folder of the installation.
  class Folder
    def install(*files)
      files.flatten.each { |it| raise "the archives have no #{it}" unless ARCHIVED.include?(it) }
    end
  end

  %i[bin man1 bash_completion zsh_completion fish_completion].each { |name| define_method(name) { Folder.new } }
end

load ARGV[0]
require "tmpdir"
Dir.mktmpdir do |folder|
  Dir.chdir(folder) do
    require "fileutils"
    ARCHIVED.each do |it|
      FileUtils.mkdir_p(File.dirname(it))
      FileUtils.touch(it)
    end
    PtxAnalyzer.new.install
  end
end
facts = Formula::FACTS
raise facts.to_s unless facts.keys.sort == %i[desc homepage license version]
# The rules of Homebrew about descriptions.
raise facts[:desc] if facts[:desc].length > 80 || facts[:desc].match?(/\A(A|An|The) |\.\z/i)
facts[:license][:any_of].each do |it|
  raise it unless File.exist?(File.join(ARGV[1], "LICENSE-#{it[/\A\w+/].upcase}"))
end
raise Formula::ARCHIVES.keys.to_s unless Formula::ARCHIVES.length == 4
Formula::ARCHIVES.each_value do |it|
  raise it.to_s unless it[:sha256].match?(/\A\h{64}\z/) && it[:url].include?(facts[:version]) && it[:url].end_with?(".tar.gz")
end
raise "there is no test" unless PtxAnalyzer.tested
