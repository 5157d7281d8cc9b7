require 'net/http'

answer = Net::HTTP.get_response(URI(ARGV[0]))
abort "HTTP #{answer.code}" unless answer.is_a?(Net::HTTPOK)
print answer.body
