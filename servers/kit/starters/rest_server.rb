# A JSON over HTTP annotation server to copy and change. It needs Ruby 2.7 or newer, and no gems.
#
#     ruby rest_server.rb 9000             answers at http://127.0.0.1:9000/, for this machine only
#     ruby rest_server.rb 9000 0.0.0.0     for other machines too
#
# It receives {"id": ..., "text": ...} for each article; the text is title, one newline and abstract. It answers:
#     {"id": ..., "annotations": {"mention": [{"start", "end", "text", "type"}], "taxon": [{"identifier"}]}}
# Replace `annotate` with your own function. "confidence" (above 0, at most 1) is optional for each annotation.

require "json"
require "socket"
require "timeout"

LARGEST = 16 * 1024 * 1024
PHRASES = { 200 => "OK", 400 => "Bad Request", 405 => "Method Not Allowed", 408 => "Request Timeout",
            411 => "Length Required", 413 => "Content Too Large", 500 => "Internal Server Error" }.freeze

# Gene symbols such as BRCA1 or TP53: capital letters, then a number.
GENE = /(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])/
# Names of organisms, and their ids in the NCBI Taxonomy.
ORGANISMS = { "human" => "9606", "mouse" => "10090", "saccharomyces cerevisiae" => "4932" }.freeze

# The annotations of one article. Positions count characters, as Ruby does in strings marked as UTF-8, such as those of
# JSON.parse.
def annotate(text)
  start = 0
  mentions = []
  # Alternately text and genes; adding up their lengths is faster than asking for positions.
  text.split(/(#{GENE})/, -1).each_with_index do |piece, index|
    mentions << { start: start, end: start + piece.length, text: piece, type: "Gene" } if index.odd?
    start += piece.length
  end
  names = ORGANISMS.keys.select { |name| text.match?(/\b#{Regexp.escape(name)}\b/i) }
  { mention: mentions, taxon: names.map { |name| { identifier: ORGANISMS[name] } } }
end

# An invalid request: the HTTP status and a sentence for the client.
class BadRequest < StandardError
  attr_reader :status

  def initialize(status, sentence)
    super(sentence)
    @status = status
  end
end

# The body of a request, in bytes.
def read_body(client)
  line = client.gets("\n", 8192).to_s
  length = nil
  while (header = client.gets("\n", 8192)) && !header.strip.empty?
    length = Regexp.last_match(1).to_i if header =~ /\AContent-Length:\s*([0-9]{1,12})\s*\z/i
  end
  raise BadRequest.new(405, "Send articles by POST.") unless line.start_with?("POST ")
  raise BadRequest.new(411, "The request needs a Content-Length.") if length.nil?
  raise BadRequest.new(413, "The request is larger than #{LARGEST} bytes.") if length > LARGEST

  client.read(length).to_s
end

def parse_article(body)
  article = JSON.parse(body.force_encoding(Encoding::UTF_8))
  unless article.is_a?(Hash) && article["text"].is_a?(String)
    raise BadRequest.new(400, 'The request has no "text": register this server to be sent the text.')
  end

  article
rescue JSON::ParserError, EncodingError
  raise BadRequest.new(400, "The request is not JSON in UTF-8.")
end

def respond(client)
  article = parse_article(Timeout.timeout(60) { read_body(client) })
  [200, { id: article.fetch("id", ""), annotations: annotate(article["text"]) }]
rescue BadRequest => e
  [e.status, { error: e.message }]
rescue Timeout::Error
  [408, { error: "The request did not arrive within a minute." }]
rescue StandardError => e
  warn e.full_message
  [500, { error: "The annotator failed: see the server's log." }]
end

def serve(client)
  status, value = respond(client)
  body = JSON.generate(value)
  client.write("HTTP/1.1 #{status} #{PHRASES[status]}\r\nContent-Type: application/json\r\n" \
               "Content-Length: #{body.bytesize}\r\nConnection: close\r\n\r\n#{body}")
rescue SystemCallError, IOError => e
  warn "The connection broke: #{e.message}"
ensure
  client.close
end

port, host = ARGV
abort "Usage: ruby rest_server.rb PORT [HOST]" if port.nil?
host ||= "127.0.0.1"
server = TCPServer.new(host, Integer(port))
puts "Listening at http://#{host}:#{server.addr[1]}/"
$stdout.flush
# A thread for each connection, so that a silent client does not block others.
loop { Thread.new(server.accept) { |client| serve(client) } }
