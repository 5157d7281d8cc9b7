use strict;
use warnings;
use LWP::UserAgent;

my $answer = LWP::UserAgent->new(timeout => 20)->get($ARGV[0]);
die $answer->status_line . "\n" unless $answer->is_success;
print $answer->decoded_content;
