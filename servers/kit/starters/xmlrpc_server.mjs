// An annotation server that speaks XML-RPC, to be copied: Node.js 18 or newer and nothing else.
//
//     node xmlrpc_server.mjs 9000             answers at http://127.0.0.1:9000/, for this machine alone
//     node xmlrpc_server.mjs 9000 0.0.0.0     for other machines too
//
// Its method Annotator.getAnnotation is called for each article with a struct {id, title, abstract, text}, or with the
// text alone: title, one newline and abstract. It returns a struct of what it finds:
//     {"mentions": [{"offset", "mention"}], "taxons": [{"taxid"}]}
// Replace `annotate` by your own. Add "confidence" (above 0, at most 1) to whatever you have one for.

import { createServer } from "node:http";

const METHOD = "Annotator.getAnnotation";
const LARGEST = 16 * 1024 * 1024;

// Symbols of genes look like BRCA1 or TP53: capital letters, then a number.
const GENE = /(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])/g;
// Words that name an organism, and its number in the NCBI Taxonomy.
const ORGANISMS = { human: 9606, mouse: 10090, "saccharomyces cerevisiae": 4932 };

// What is found in one article: numbers, strings, arrays and objects become XML by themselves.
function annotate(text) {
  const count = codePointCounter(text);
  const mentions = [...text.matchAll(GENE)].map((found) => ({ offset: count(found.index), mention: found[0] }));
  const words = Object.keys(ORGANISMS).filter((word) => new RegExp(`\\b${word}\\b`, "i").test(text));
  return { mentions, taxons: words.map((word) => ({ taxid: ORGANISMS[word] })) };
}

// Offsets count characters, but JavaScript's count UTF-16 units, two for each character above U+FFFF. This gives the
// number of characters before an index; indexes must rise from call to call, so that the text is walked through once.
function codePointCounter(text) {
  let at = 0;
  let characters = 0;
  return (index) => {
    while (at < index) {
      at += text.codePointAt(at) > 0xffff ? 2 : 1;
      characters += 1;
    }
    return characters;
  };
}

class Fault extends Error {
  constructor(code, sentence) {
    super(sentence);
    this.code = code;
  }
}

const NAMED = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescapeXml(text) {
  return text.replace(/&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|(lt|gt|amp|quot|apos));/g, (_, hex, decimal, name) =>
    name ? NAMED[name] : String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal)),
  );
}

const escapeXml = (text) => text.replace(/[<>&\r]/g, (character) => `&#${character.charCodeAt(0)};`);

function valueXml(value) {
  if (Array.isArray(value)) return `<value><array><data>${value.map(valueXml).join("")}</data></array></value>`;
  if (typeof value === "string") return `<value><string>${escapeXml(value)}</string></value>`;
  if (typeof value === "boolean") return `<value><boolean>${Number(value)}</boolean></value>`;
  if (Number.isInteger(value)) return `<value><int>${value}</int></value>`;
  if (typeof value === "number") return `<value><double>${value}</double></value>`;
  const members = Object.entries(value).map(([name, of]) => `<member><name>${name}</name>${valueXml(of)}</member>`);
  return `<value><struct>${members.join("")}</struct></value>`;
}

// Node has no reader of XML. A call of the meta-server is simple enough to be found by its pattern: the member "text"
// of the struct, or else the one parameter.
const STRING = "<value>(?:\\s*<string>([^<]*)</string>\\s*|([^<]*))</value>";
const CALLED = /<methodName>\s*([^<]*?)\s*<\/methodName>/;
const MEMBER = new RegExp(`<name>\\s*text\\s*</name>\\s*${STRING}`);
const PARAMETER = new RegExp(`<param>\\s*${STRING}`);

function answerTo(call) {
  const method = CALLED.exec(call)?.[1];
  if (method === undefined) throw new Fault(-32700, "The request is no call in XML-RPC.");
  if (method !== METHOD) throw new Fault(-32601, `There is no method ${method}, only ${METHOD}.`);
  const found = (call.includes("<struct>") ? MEMBER : PARAMETER).exec(call);
  if (!found) throw new Fault(2, "The call has no text; register this server to be sent the struct or the text.");
  return `<params><param>${valueXml(annotate(unescapeXml(found[1] ?? found[2])))}</param></params>`;
}

function faultXml(error) {
  if (!(error instanceof Fault)) console.error(error);
  const told = error instanceof Fault ? error : new Fault(1, "The annotator failed; see the server's log.");
  return `<fault>${valueXml({ faultCode: told.code, faultString: told.message })}</fault>`;
}

// The body as bytes first: a character may be cut in two by the pieces in which it comes.
async function bodyOf(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > LARGEST) throw new Fault(3, `The call has more than ${LARGEST} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

const server = createServer(async (request, response) => {
  const said = await bodyOf(request).then(answerTo).catch(faultXml);
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<methodResponse>${said}</methodResponse>`, "utf8");
  response.writeHead(200, { "Content-Type": "text/xml", "Content-Length": body.length });
  response.end(body);
});

const [port, host = "127.0.0.1"] = process.argv.slice(2);
if (port === undefined) {
  console.error("How to start: node xmlrpc_server.mjs PORT [HOST]");
  process.exit(1);
}
server.listen(Number(port), host, () => console.log(`Listening at http://${host}:${server.address().port}/`));
