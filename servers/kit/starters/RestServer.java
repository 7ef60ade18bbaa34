// A JSON over HTTP annotation server to copy and change. It needs Java 17 or newer, and no libraries.
//
//     java RestServer.java 9000             answers at http://127.0.0.1:9000/, for this machine only
//     java RestServer.java 9000 0.0.0.0     for other machines too
//
// It receives {"id": ..., "text": ...} for each article; the text is title, one newline and abstract. It answers:
//     {"id": ..., "annotations": {"mention": [{"start", "end", "text", "type"}], "taxon": [{"identifier"}]}}
// Replace `annotate` with your own function. "confidence" (above 0, at most 1) is optional for each annotation.

import com.sun.net.httpserver.*;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.Executors;
import java.util.regex.*;

public class RestServer {
    static final int LARGEST = 16 * 1024 * 1024;
    // Gene symbols such as BRCA1 or TP53: capital letters, then a number.
    static final Pattern GENE = Pattern.compile("(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])");
    // Names of organisms, and their ids in the NCBI Taxonomy.
    static final Map<String, String> ORGANISMS =
        new TreeMap<>(Map.of("human", "9606", "mouse", "10090", "saccharomyces cerevisiae", "4932"));

    // The annotations of one article, as JSON. Positions count characters, but Java counts UTF-16 units, two for each
    // character above U+FFFF; codePointCount converts them.
    static String annotate(String text) {
        var mentions = new StringJoiner(",");
        int previous = 0, start = 0;
        for (Matcher match = GENE.matcher(text); match.find(); previous = match.start()) {
            start += text.codePointCount(previous, match.start());
            int end = start + text.codePointCount(match.start(), match.end());
            mentions.add("{\"start\":%d,\"end\":%d,\"text\":%s,\"type\":\"Gene\"}"
                .formatted(start, end, quote(match.group())));
        }
        var taxa = new StringJoiner(",");
        ORGANISMS.forEach((name, taxid) -> {
            if (Pattern.compile("\\b" + name + "\\b", Pattern.CASE_INSENSITIVE).matcher(text).find())
                taxa.add("{\"identifier\":" + quote(taxid) + "}");
        });
        return "{\"mention\":[" + mentions + "],\"taxon\":[" + taxa + "]}";
    }

    static void serve(HttpExchange call) throws IOException {
        byte[] request = call.getRequestBody().readNBytes(LARGEST + 1);
        if (!call.getRequestMethod().equals("POST")) answer(call, 405, error("Send articles by POST."));
        else if (request.length > LARGEST) answer(call, 413, error("The request is larger than 16 MiB."));
        else try {
            String text = new Reader(new String(request, StandardCharsets.UTF_8)).readStrings().get("text");
            if (text != null) answer(call, 200, "{\"annotations\":" + annotate(text) + "}");
            else answer(call, 400, error("The request has no \"text\": register this server to be sent the text."));
        } catch (NumberFormatException | IndexOutOfBoundsException cause) {
            answer(call, 400, error("The request is not a JSON object."));
        } catch (RuntimeException cause) {
            cause.printStackTrace();
            answer(call, 500, error("The annotator failed: see the server's log."));
        }
    }

    static String error(String sentence) { return "{\"error\":" + quote(sentence) + "}"; }

    static void answer(HttpExchange call, int status, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        call.getResponseHeaders().set("Content-Type", "application/json");
        call.sendResponseHeaders(status, body.length);
        call.getResponseBody().write(body);
        call.close();
    }

    static String quote(String text) {
        var quoted = new StringBuilder("\"");
        for (char c : text.toCharArray())
            quoted.append(c < ' ' || c == '"' || c == '\\' ? "\\u%04x".formatted((int) c) : String.valueOf(c));
        return quoted.append('"').toString();
    }

    // Java has no JSON parser. This one reads the strings of an object and skips its other values; truncated input
    // raises an exception.
    static class Reader {
        final String source;
        int at = 0;
        Reader(String source) { this.source = source; }
        Map<String, String> readStrings() {
            var strings = new HashMap<String, String>();
            String name = null;
            for (int depth = 0; at < source.length() || depth > 0; ) {
                char c = source.charAt(at++);
                String text = c == '"' ? readString() : null;
                if (c == '{' || c == '[') depth++;
                else if (c == '}' || c == ']') depth--;
                if (depth == 1 && c == ',') name = null;
                else if (depth == 1 && c == '"' && name == null) name = text;
                else if (depth == 1 && c == '"') strings.put(name, text);
            }
            return strings;
        }
        String readString() {
            var text = new StringBuilder();
            for (char c = source.charAt(at++); c != '"'; c = source.charAt(at++)) {
                int escape = c == '\\' ? "nrtbfu".indexOf(c = source.charAt(at++)) : -1;
                if (escape == 5) c = (char) Integer.parseInt(source.substring(at, at += 4), 16);
                else if (escape >= 0) c = "\n\r\t\b\f".charAt(escape);
                text.append(c);
            }
            return text.toString();
        }
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 0) throw new IllegalArgumentException("Usage: java RestServer.java PORT [HOST]");
        String host = arguments.length > 1 ? arguments[1] : "127.0.0.1";
        HttpServer server = HttpServer.create(new InetSocketAddress(host, Integer.parseInt(arguments[0])), 0);
        server.createContext("/", RestServer::serve);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
        System.out.println("Listening at http://" + host + ":" + server.getAddress().getPort() + "/");
    }
}
