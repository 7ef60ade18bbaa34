# An annotation server that speaks JSON over HTTP, to be copied: Ruby 2.7 or newer and nothing else.
#
#     ruby rest_server.rb 9000             answers at http://127.0.0.1:9000/, for this machine alone
#     ruby rest_server.rb 9000 0.0.0.0     for other machines too
#
# It is sent {"id": ..., "text": ...} for each article, title, one newline and abstract, and answers what it finds:
#     {"id": ..., "annotations": {"mention": [{"start", "end", "text", "type"}], "taxon": [{"identifier"}]}}
# Replace `annotate` by your own. Add "confidence" (above 0, at most 1) to whatever you have one for.

require "json"
require "socket"
require "timeout"

LARGEST = 16 * 1024 * 1024
PHRASES = { 200 => "OK", 400 => "Bad Request", 405 => "Method Not Allowed", 408 => "Request Timeout",
            411 => "Length Required", 413 => "Content Too Large", 500 => "Internal Server Error" }.freeze

# Symbols of genes look like BRCA1 or TP53: capital letters, then a number.
GENE = /(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])/
# Words that name an organism, and its number in the NCBI Taxonomy.
ORGANISMS = { "human" => "9606", "mouse" => "10090", "saccharomyces cerevisiae" => "4932" }.freeze

# What is found in one article. Positions count characters; Ruby's strings do so when they are marked as UTF-8, as those
# of JSON.parse are.
def annotate(text)
  start = 0
  mentions = []
  # Pieces that are no genes and genes in turn: adding up their lengths is quick where asking for positions is slow.
  text.split(/(#{GENE})/, -1).each_with_index do |piece, index|
    mentions << { start: start, end: start + piece.length, text: piece, type: "Gene" } if index.odd?
    start += piece.length
  end
  words = ORGANISMS.keys.select { |word| text.match?(/\b#{Regexp.escape(word)}\b/i) }
  { mention: mentions, taxon: words.map { |word| { identifier: ORGANISMS[word] } } }
end

# The request cannot be answered: HTTP status and a sentence for whoever sent it.
class BadRequest < StandardError
  attr_reader :status

  def initialize(status, sentence)
    super(sentence)
    @status = status
  end
end

# The body of a request, in bytes.
def body_of(client)
  line = client.gets("\n", 8192).to_s
  length = nil
  while (header = client.gets("\n", 8192)) && !header.strip.empty?
    length = Regexp.last_match(1).to_i if header =~ /\AContent-Length:\s*([0-9]{1,12})\s*\z/i
  end
  raise BadRequest.new(405, "Articles are sent by POST.") unless line.start_with?("POST ")
  raise BadRequest.new(411, "The request needs a Content-Length.") if length.nil?
  raise BadRequest.new(413, "The request has more than #{LARGEST} bytes.") if length > LARGEST

  client.read(length).to_s
end

def article_of(body)
  article = JSON.parse(body.force_encoding(Encoding::UTF_8))
  unless article.is_a?(Hash) && article["text"].is_a?(String)
    raise BadRequest.new(400, 'The request has no "text"; register this server to be sent the text.')
  end

  article
rescue JSON::ParserError, EncodingError
  raise BadRequest.new(400, "The request is not JSON in UTF-8.")
end

def respond(client)
  article = article_of(Timeout.timeout(60) { body_of(client) })
  [200, { id: article.fetch("id", ""), annotations: annotate(article["text"]) }]
rescue BadRequest => e
  [e.status, { error: e.message }]
rescue Timeout::Error
  [408, { error: "The request did not come within a minute." }]
rescue StandardError => e
  warn e.full_message
  [500, { error: "The annotator failed; see the server's log." }]
end

def serve(client)
  status, value = respond(client)
  body = JSON.generate(value)
  client.write("HTTP/1.1 #{status} #{PHRASES[status]}\r\nContent-Type: application/json\r\n" \
               "Content-Length: #{body.bytesize}\r\nConnection: close\r\n\r\n#{body}")
rescue SystemCallError, IOError => e
  warn "A client was lost: #{e.message}"
ensure
  client.close
end

port, host = ARGV
abort "How to start: ruby rest_server.rb PORT [HOST]" if port.nil?
host ||= "127.0.0.1"
server = TCPServer.new(host, Integer(port))
puts "Listening at http://#{host}:#{server.addr[1]}/"
$stdout.flush
# A thread for each connection, so that a client that says nothing keeps nobody waiting.
loop { Thread.new(server.accept) { |client| serve(client) } }
