#!/usr/bin/perl
# A JSON over HTTP annotation server to copy and change. It needs Perl 5.14 or newer, and only core modules.
#
#     perl rest_server.pl 9000             answers at http://127.0.0.1:9000/, for this machine only
#     perl rest_server.pl 9000 0.0.0.0     for other machines too
#
# It receives {"id": ..., "text": ...} for each article; the text is title, one newline and abstract. It answers:
#     {"id": ..., "annotations": {"mention": [{"start", "end", "text", "type"}], "taxon": [{"identifier"}]}}
# An array of articles, as servers get that are registered for several in one request, is answered by an array.
# Replace `annotate` with your own function. "confidence" (above 0, at most 1) is optional for each annotation.

use strict;
use warnings;
use IO::Socket::INET;
use JSON::PP;

my $LARGEST = 16 * 1024 * 1024;

# Gene symbols such as BRCA1 or TP53: capital letters, then a number.
my $GENE = qr/(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])/;
# Names of organisms, and their ids in the NCBI Taxonomy.
my %ORGANISMS = (human => "9606", mouse => "10090", "saccharomyces cerevisiae" => "4932");

# The annotations of one article. Positions count characters, as Perl does in decoded strings such as those of
# decode_json; in a string of bytes it would count bytes.
sub annotate {
    my ($text) = @_;
    my ($start, $is_gene, @mentions) = (0, 0);
    # Alternately text and genes; adding up their lengths is faster than asking for positions.
    for my $piece (split /($GENE)/, $text, -1) {
        push @mentions, { start => $start, end => $start + length $piece, text => $piece, type => "Gene" } if $is_gene;
        $start += length $piece;
        $is_gene = !$is_gene;
    }
    my @names = grep { $text =~ /\b\Q$_\E\b/i } sort keys %ORGANISMS;
    return { mention => \@mentions, taxon => [map { { identifier => $ORGANISMS{$_} } } @names] };
}

# The status and the value of the answer.
sub respond {
    my ($client) = @_;
    my $line = <$client> // "";
    my $length;
    while (defined(my $header = <$client>)) {
        last if $header =~ /^\r?\n$/;
        $length = $1 if $header =~ /^Content-Length:\s*([0-9]{1,12})\s*$/i;
    }
    return (405, { error => "Send articles by POST." }) if $line !~ /^POST /;
    return (411, { error => "The request needs a Content-Length." }) if !defined $length;
    return (413, { error => "The request is larger than $LARGEST bytes." }) if $length > $LARGEST;
    read($client, my $body, $length);
    alarm 0;
    my $sent = eval { decode_json($body) };       # takes bytes in UTF-8, gives characters
    my @articles = ref $sent eq "ARRAY" ? @$sent : $sent;
    return (400, { error => "The request is not a JSON object in UTF-8." }) if grep { ref $_ ne "HASH" } @articles;
    return (400, { error => 'The request has no "text": register this server to be sent the text.' })
        if grep { !defined $_->{text} || ref $_->{text} } @articles;
    my @answers = map { { id => $_->{id} // "", annotations => annotate($_->{text}) } } @articles;
    return (200, ref $sent eq "ARRAY" ? \@answers : $answers[0]);
}

sub serve {
    my ($client) = @_;
    binmode $client;
    my ($status, $value) = eval { respond($client) };
    if (!defined $status) {
        warn $@;
        ($status, $value) = (500, { error => "The annotator failed: see the server's log." });
    }
    my $body = encode_json($value);               # characters in, bytes in UTF-8 out
    my %phrases = (200 => "OK", 400 => "Bad Request", 405 => "Method Not Allowed", 411 => "Length Required",
        413 => "Content Too Large", 500 => "Internal Server Error");
    print $client "HTTP/1.1 $status $phrases{$status}\r\nContent-Type: application/json\r\n",
        "Content-Length: ", length($body), "\r\nConnection: close\r\n\r\n", $body;
    close $client;
}

my ($port, $host) = @ARGV;
die "Usage: perl rest_server.pl PORT [HOST]\n" if !defined $port;
$host //= "127.0.0.1";
my $server = IO::Socket::INET->new(LocalAddr => $host, LocalPort => $port, Listen => 16, ReuseAddr => 1)
    or die "Cannot listen on $host:$port: $@\n";
$| = 1;
print "Listening at http://$host:", $server->sockport, "/\n";
$SIG{CHLD} = "IGNORE";
# A process for each connection, with a minute to send its request, so that a silent client does not block others.
while (1) {
    my $client = $server->accept or next;
    if (!defined(my $child = fork)) {
        warn "Cannot fork: $!\n";
    } elsif ($child == 0) {
        alarm 60;
        serve($client);
        exit;
    }
    close $client;
}
