use strict;
use warnings;
use HTTP::Tiny;

my $answer = HTTP::Tiny->new(timeout => 20, verify_SSL => 1)->get($ARGV[0]);
die "$answer->{status} $answer->{content}\n" unless $answer->{success};
print $answer->{content};
