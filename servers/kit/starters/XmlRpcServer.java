// An XML-RPC annotation server to copy and change. It needs Java 17 or newer, and no libraries.
//
//     java XmlRpcServer.java 9000             answers at http://127.0.0.1:9000/, for this machine only
//     java XmlRpcServer.java 9000 0.0.0.0     for other machines too
//
// Its method Annotator.getAnnotation is called for each article with a struct {id, title, abstract, text}, or with the
// text alone: title, one newline and abstract. It returns a struct:
//     {"mentions": [{"offset", "mention"}], "taxons": [{"taxid"}]}
// Replace `annotate` with your own function. "confidence" (above 0, at most 1) is optional for each annotation.

import com.sun.net.httpserver.*;
import java.io.*;
import java.net.InetSocketAddress;
import java.util.*;
import java.util.concurrent.Executors;
import java.util.regex.*;
import java.util.stream.*;
import javax.xml.parsers.*;
import javax.xml.xpath.*;
import org.w3c.dom.*;
import org.xml.sax.SAXException;
import static java.nio.charset.StandardCharsets.UTF_8;

public class XmlRpcServer {
    static final String METHOD = "Annotator.getAnnotation";
    static final int LARGEST = 16 * 1024 * 1024;
    // Gene symbols such as BRCA1 or TP53: capital letters, then a number.
    static final Pattern GENE = Pattern.compile("(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])");
    // Names of organisms, and their ids in the NCBI Taxonomy.
    static final Map<String, Integer> ORGANISMS =
        new TreeMap<>(Map.of("human", 9606, "mouse", 10090, "saccharomyces cerevisiae", 4932));

    // The annotations of one article, as lists and maps for xml(). Offsets count characters, but Java counts UTF-16
    // units, two for each character above U+FFFF; codePointCount converts them.
    static Map<String, Object> annotate(String text) {
        var mentions = new ArrayList<Map<String, Object>>();
        int previous = 0, offset = 0;
        for (Matcher match = GENE.matcher(text); match.find(); previous = match.start()) {
            offset += text.codePointCount(previous, match.start());
            mentions.add(Map.of("offset", offset, "mention", match.group()));
        }
        var taxons = new ArrayList<Map<String, Object>>();
        ORGANISMS.forEach((name, taxid) -> {
            if (Pattern.compile("\\b" + name + "\\b", Pattern.CASE_INSENSITIVE).matcher(text).find())
                taxons.add(Map.of("taxid", taxid));
        });
        return Map.of("mentions", mentions, "taxons", taxons);
    }

    static String buildAnswer(Document call) throws XPathException {
        XPath path = XPathFactory.newInstance().newXPath();
        String method = path.evaluate("normalize-space(/methodCall/methodName)", call);
        if (!method.equals(METHOD)) return fault(-32601, "There is no method " + method + ", only " + METHOD + ".");
        // The member "text" of the struct, or else the parameter itself, with or without <string>.
        Node text = (Node) path.evaluate("(//param/value[not(struct)] | //member[normalize-space(name)='text']/value)"
            + "/descendant-or-self::*[not(*)][self::string or self::value]", call, XPathConstants.NODE);
        if (text == null)
            return fault(2, "The call has no text: register this server to be sent the struct or the text.");
        return element("params", element("param", xml(annotate(text.getTextContent()))));
    }

    // Never accept entity definitions in foreign XML: they could include local files or grow without bound.
    static Document parseXml(byte[] xml) throws SAXException, ParserConfigurationException, IOException {
        var factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder().parse(new ByteArrayInputStream(xml));
    }

    static String element(String name, String inside) { return "<" + name + ">" + inside + "</" + name + ">"; }

    static String xml(Object value) {
        if (value instanceof Map<?, ?> map)
            return element("value", element("struct", map.entrySet().stream().map(member ->
                element("member", element("name", (String) member.getKey()) + xml(member.getValue())))
                .collect(Collectors.joining())));
        if (value instanceof List<?> list) return element("value", element("array", element("data",
            list.stream().map(XmlRpcServer::xml).collect(Collectors.joining()))));
        if (value instanceof Boolean yes) return element("value", element("boolean", yes ? "1" : "0"));
        String type = value instanceof Integer ? "int" : value instanceof Double ? "double" : "string";
        String content = value.toString().replace("&", "&amp;").replace("<", "&lt;").replace("\r", "&#13;");
        return element("value", element(type, content));
    }

    static String fault(int code, String sentence) {
        return element("fault", xml(Map.of("faultCode", code, "faultString", sentence)));
    }

    static void serve(HttpExchange call) throws IOException {
        String content;
        try {
            byte[] request = call.getRequestBody().readNBytes(LARGEST + 1);
            content = request.length <= LARGEST ? buildAnswer(parseXml(request))
                : fault(3, "The call is larger than 16 MiB.");
        } catch (SAXException error) {
            content = fault(-32700, "The request is not XML: " + error.getMessage());
        } catch (Exception error) {
            error.printStackTrace();
            content = fault(1, "The annotator failed: see the server's log.");
        }
        String response = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + element("methodResponse", content);
        byte[] body = response.getBytes(UTF_8);
        call.getResponseHeaders().set("Content-Type", "text/xml");
        call.sendResponseHeaders(200, body.length);
        call.getResponseBody().write(body);
        call.close();
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 0) throw new IllegalArgumentException("Usage: java XmlRpcServer.java PORT [HOST]");
        String host = arguments.length > 1 ? arguments[1] : "127.0.0.1";
        HttpServer server = HttpServer.create(new InetSocketAddress(host, Integer.parseInt(arguments[0])), 0);
        server.createContext("/", XmlRpcServer::serve);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
        System.out.println("Listening at http://" + host + ":" + server.getAddress().getPort() + "/");
    }
}
