require 'net/http'

# What is loaded first leaves classes alone that have a name of their own, and those of another Ractor.
class Named
  def self.name(name)
    @name = name
  end
end

class Plugin < Named
  name 'plugin'
end

if defined?(Ractor)
  $VERBOSE = nil
  made = Ractor.new { Class.new && nil }
  made.respond_to?(:value) ? made.value : made.take
end

answer = Net::HTTP.get_response(URI(ARGV[0]))
abort "HTTP #{answer.code}" unless answer.is_a?(Net::HTTPOK)
print answer.body
