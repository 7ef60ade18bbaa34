#!/usr/bin/perl
# An XML-RPC annotation server to copy and change. It needs Perl 5.14 or newer, and only core modules.
#
#     perl xmlrpc_server.pl 9000             answers at http://127.0.0.1:9000/, for this machine only
#     perl xmlrpc_server.pl 9000 0.0.0.0     for other machines too
#
# Its method Annotator.getAnnotation is called for each article with a struct {id, title, abstract, text}, or with the
# text alone: title, one newline and abstract. It returns a struct:
#     {"mentions": [{"offset", "mention"}], "taxons": [{"taxid"}]}
# Replace `annotate` with your own function. "confidence" (above 0, at most 1) is optional for each annotation.

use strict;
use warnings;
use Encode qw(decode encode);
use IO::Socket::INET;

my $METHOD = "Annotator.getAnnotation";
my $LARGEST = 16 * 1024 * 1024;

# Gene symbols such as BRCA1 or TP53: capital letters, then a number.
my $GENE = qr/(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])/;
# Names of organisms, and their ids in the NCBI Taxonomy.
my %ORGANISMS = (human => 9606, mouse => 10090, "saccharomyces cerevisiae" => 4932);

# The annotations of one article, as data for xml(). Offsets count characters, as Perl does in decoded strings; in a
# string of bytes it would count bytes.
sub annotate {
    my ($text) = @_;
    my ($start, $is_gene, @mentions) = (0, 0);
    # Alternately text and genes; adding up their lengths is faster than asking for positions.
    for my $piece (split /($GENE)/, $text, -1) {
        push @mentions, { offset => [int => $start], mention => [string => $piece] } if $is_gene;
        $start += length $piece;
        $is_gene = !$is_gene;
    }
    my @names = grep { $text =~ /\b\Q$_\E\b/i } sort keys %ORGANISMS;
    my @taxons = map { { taxid => [int => $ORGANISMS{$_}] } } @names;
    return { mentions => [array => @mentions], taxons => [array => @taxons] };
}

# A hash is a struct; [array => ...] an array; [int => 1], [double => 0.5] and [string => "x"] are single values.
sub xml {
    my ($value) = @_;
    if (ref $value eq "HASH") {
        my $members = join "", map { "<member><name>$_</name>" . xml($value->{$_}) . "</member>" } sort keys %$value;
        return "<value><struct>$members</struct></value>";
    }
    my ($type, @parts) = @$value;
    return "<value><array><data>" . join("", map { xml($_) } @parts) . "</data></array></value>" if $type eq "array";
    (my $escaped = $parts[0]) =~ s/([<>&\r])/"&#" . ord($1) . ";"/ge;
    return "<value><$type>$escaped</$type></value>";
}

sub unescape {
    my ($text) = @_;
    my %named = (lt => "<", gt => ">", amp => "&", quot => '"', apos => "'");
    my $entity = qr/&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|(lt|gt|amp|quot|apos));/;
    $text =~ s/$entity/defined $1 ? chr hex $1 : defined $2 ? chr $2 : $named{$3}/ge;
    return $text;
}

sub fault {
    my ($code, $sentence) = @_;
    return "<fault>" . xml({ faultCode => [int => $code], faultString => [string => $sentence] }) . "</fault>";
}

# Perl has no XML parser. The meta-server's calls are simple enough for regular expressions: find the member "text" of
# the struct, or else the parameter itself.
sub build_answer {
    my ($call) = @_;
    my ($method) = $call =~ m{<methodName>\s*([^<]*?)\s*</methodName>}
        or return fault(-32700, "The request is not an XML-RPC call.");
    return fault(-32601, "There is no method $method, only $METHOD.") if $method ne $METHOD;
    my $string = qr{<value>(?|\s*<string>([^<]*)</string>\s*|([^<]*))</value>};
    my ($text) = $call =~ /<struct>/ ? $call =~ m{<name>\s*text\s*</name>\s*$string} : $call =~ m{<param>\s*$string};
    return fault(2, "The call has no text: register this server to be sent the struct or the text.") if !defined $text;
    return "<params><param>" . xml(annotate(unescape($text))) . "</param></params>";
}

sub respond {
    my ($client) = @_;
    my $length = 0;
    while (defined(my $header = <$client>)) {
        last if $header =~ /^\r?\n$/;
        $length = $1 if $header =~ /^Content-Length:\s*([0-9]{1,12})\s*$/i;
    }
    return fault(3, "The call is larger than $LARGEST bytes.") if $length > $LARGEST;
    read($client, my $body, $length);
    alarm 0;
    return build_answer(decode("UTF-8", $body));
}

my ($port, $host) = @ARGV;
die "Usage: perl xmlrpc_server.pl PORT [HOST]\n" if !defined $port;
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
        my $content = eval { respond($client) }
            // do { warn $@; fault(1, "The annotator failed: see the server's log.") };
        my $xml = qq{<?xml version="1.0" encoding="UTF-8"?>\n<methodResponse>$content</methodResponse>};
        my $body = encode("UTF-8", $xml);
        print $client "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nConnection: close\r\n",
            "Content-Length: ", length($body), "\r\n\r\n", $body;
        exit;
    }
    close $client;
}
