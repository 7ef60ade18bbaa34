// A JSON over HTTP annotation server to copy and change. It needs Node.js 18 or newer, and no packages.
//
//     node rest_server.mjs 9000             answers at http://127.0.0.1:9000/, for this machine only
//     node rest_server.mjs 9000 0.0.0.0     for other machines too
//
// It receives {"id": ..., "text": ...} for each article; the text is title, one newline and abstract. It answers:
//     {"id": ..., "annotations": {"mention": [{"start", "end", "text", "type"}], "taxon": [{"identifier"}]}}
// An array of articles, as servers get that are registered for several in one request, is answered by an array.
// Replace `annotate` with your own function. "confidence" (above 0, at most 1) is optional for each annotation.

import { createServer } from "node:http";

const LARGEST = 16 * 1024 * 1024;

// Gene symbols such as BRCA1 or TP53: capital letters, then a number.
const GENE = /(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])/g;
// Names of organisms, and their ids in the NCBI Taxonomy.
const ORGANISMS = { human: "9606", mouse: "10090", "saccharomyces cerevisiae": "4932" };

// The annotations of one article.
function annotate(text) {
  const count = codePointCounter(text);
  const mention = [...text.matchAll(GENE)].map((match) => {
    const start = count(match.index);
    return { start, end: start + [...match[0]].length, text: match[0], type: "Gene" };
  });
  const names = Object.keys(ORGANISMS).filter((name) => new RegExp(`\\b${name}\\b`, "i").test(text));
  return { mention, taxon: names.map((name) => ({ identifier: ORGANISMS[name] })) };
}

// Positions count characters, but JavaScript counts UTF-16 units, two for each character above U+FFFF. The returned
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

class BadRequest extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

// Join the bytes before decoding: a chunk may end in the middle of a character.
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LARGEST) throw new BadRequest(413, `The request is larger than ${LARGEST} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function readJson(request) {
  if (request.method !== "POST") throw new BadRequest(405, "Send articles by POST.");
  const body = await readBody(request);
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new BadRequest(400, `The request is not JSON: ${error.message}.`);
  }
}

function answerArticle(article) {
  if (typeof article?.text !== "string") {
    throw new BadRequest(400, 'The request has no "text": register this server to be sent the text.');
  }
  return { id: article.id ?? "", annotations: annotate(article.text) };
}

const server = createServer(async (request, response) => {
  let status = 200;
  let value;
  try {
    const sent = await readJson(request);
    value = Array.isArray(sent) ? sent.map(answerArticle) : answerArticle(sent);
  } catch (error) {
    if (!(error instanceof BadRequest)) console.error(error);
    status = error instanceof BadRequest ? error.status : 500;
    value = { error: error instanceof BadRequest ? error.message : "The annotator failed: see the server's log." };
  }
  const body = Buffer.from(JSON.stringify(value), "utf8");
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": body.length });
  response.end(body);
});

const [port, host = "127.0.0.1"] = process.argv.slice(2);
if (port === undefined) {
  console.error("Usage: node rest_server.mjs PORT [HOST]");
  process.exit(1);
}
server.listen(Number(port), host, () => console.log(`Listening at http://${host}:${server.address().port}/`));
