use strict;
use warnings;
use Mojo::UserAgent;

my $answer = Mojo::UserAgent->new(request_timeout => 20)->get($ARGV[0])->result;
die $answer->code . "\n" unless $answer->is_success;
print $answer->text;
