// An XML-RPC annotation server to copy and change. It needs Node.js 18 or newer, and no packages.
//
//     node xmlrpc_server.mjs 9000             answers at http://127.0.0.1:9000/, for this machine only
//     node xmlrpc_server.mjs 9000 0.0.0.0     for other machines too
//
// Its method Annotator.getAnnotation is called for each article with a struct {id, title, abstract, text}, or with the
// text alone: title, one newline and abstract. It returns a struct:
//     {"mentions": [{"offset", "mention"}], "taxons": [{"taxid"}]}
// Replace `annotate` with your own function. "confidence" (above 0, at most 1) is optional for each annotation.

import { createServer } from "node:http";

const METHOD = "Annotator.getAnnotation";
const LARGEST = 16 * 1024 * 1024;

// Gene symbols such as BRCA1 or TP53: capital letters, then a number.
const GENE = /(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])/g;
// Names of organisms, and their ids in the NCBI Taxonomy.
const ORGANISMS = { human: 9606, mouse: 10090, "saccharomyces cerevisiae": 4932 };

// The annotations of one article, as numbers, strings, arrays and objects for valueXml().
function annotate(text) {
  const count = codePointCounter(text);
  const mentions = [...text.matchAll(GENE)].map((match) => ({ offset: count(match.index), mention: match[0] }));
  const names = Object.keys(ORGANISMS).filter((name) => new RegExp(`\\b${name}\\b`, "i").test(text));
  return { mentions, taxons: names.map((name) => ({ taxid: ORGANISMS[name] })) };
}

// Offsets count characters, but JavaScript counts UTF-16 units, two for each character above U+FFFF. The returned
// function converts an index; call it with increasing indexes, so that it scans the text only once.
function codePointCounter(text) {
  let position = 0;
  let characters = 0;
  return (index) => {
    while (position < index) {
      position += text.codePointAt(position) > 0xffff ? 2 : 1;
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
  const memberXml = ([name, member]) => `<member><name>${name}</name>${valueXml(member)}</member>`;
  return `<value><struct>${Object.entries(value).map(memberXml).join("")}</struct></value>`;
}

// Node has no XML parser. The meta-server's calls are simple enough for regular expressions: find the member "text" of
// the struct, or else the parameter itself.
const STRING = "<value>(?:\\s*<string>([^<]*)</string>\\s*|([^<]*))</value>";
const METHOD_NAME = /<methodName>\s*([^<]*?)\s*<\/methodName>/;
const MEMBER = new RegExp(`<name>\\s*text\\s*</name>\\s*${STRING}`);
const PARAMETER = new RegExp(`<param>\\s*${STRING}`);

function buildAnswer(call) {
  const method = METHOD_NAME.exec(call)?.[1];
  if (method === undefined) throw new Fault(-32700, "The request is not an XML-RPC call.");
  if (method !== METHOD) throw new Fault(-32601, `There is no method ${method}, only ${METHOD}.`);
  const match = (call.includes("<struct>") ? MEMBER : PARAMETER).exec(call);
  if (!match) throw new Fault(2, "The call has no text: register this server to be sent the struct or the text.");
  return `<params><param>${valueXml(annotate(unescapeXml(match[1] ?? match[2])))}</param></params>`;
}

function faultXml(error) {
  if (!(error instanceof Fault)) console.error(error);
  const fault = error instanceof Fault ? error : new Fault(1, "The annotator failed: see the server's log.");
  return `<fault>${valueXml({ faultCode: fault.code, faultString: fault.message })}</fault>`;
}

// Join the bytes before decoding: a chunk may end in the middle of a character.
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LARGEST) throw new Fault(3, `The call is larger than ${LARGEST} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const server = createServer(async (request, response) => {
  const content = await readBody(request).then(buildAnswer).catch(faultXml);
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<methodResponse>${content}</methodResponse>`;
  const body = Buffer.from(xml, "utf8");
  response.writeHead(200, { "Content-Type": "text/xml", "Content-Length": body.length });
  response.end(body);
});

const [port, host = "127.0.0.1"] = process.argv.slice(2);
if (port === undefined) {
  console.error("Usage: node xmlrpc_server.mjs PORT [HOST]");
  process.exit(1);
}
server.listen(Number(port), host, () => console.log(`Listening at http://${host}:${server.address().port}/`));
