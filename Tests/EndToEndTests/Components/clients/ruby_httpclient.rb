require 'httpclient'

answer = HTTPClient.new.get(ARGV[0])
abort "HTTP #{answer.status}" unless answer.ok?
print answer.body
