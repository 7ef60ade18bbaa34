// An annotation server that speaks JSON over HTTP, to be copied: Node.js 18 or newer and nothing else.
//
//     node rest_server.mjs 9000             answers at http://127.0.0.1:9000/, for this machine alone
//     node rest_server.mjs 9000 0.0.0.0     for other machines too
//
// It is sent {"id": ..., "text": ...} for each article, title, one newline and abstract, and answers what it finds:
//     {"id": ..., "annotations": {"mention": [{"start", "end", "text", "type"}], "taxon": [{"identifier"}]}}
// Replace `annotate` by your own. Add "confidence" (above 0, at most 1) to whatever you have one for.

import { createServer } from "node:http";

const LARGEST = 16 * 1024 * 1024;

// Symbols of genes look like BRCA1 or TP53: capital letters, then a number.
const GENE = /(?<![A-Za-z0-9])[A-Z]{2,6}[0-9]{1,2}(?![A-Za-z0-9])/g;
// Words that name an organism, and its number in the NCBI Taxonomy.
const ORGANISMS = { human: "9606", mouse: "10090", "saccharomyces cerevisiae": "4932" };

// What is found in one article.
function annotate(text) {
  const count = codePointCounter(text);
  const mention = [...text.matchAll(GENE)].map((found) => {
    const start = count(found.index);
    return { start, end: start + [...found[0]].length, text: found[0], type: "Gene" };
  });
  const words = Object.keys(ORGANISMS).filter((word) => new RegExp(`\\b${word}\\b`, "i").test(text));
  return { mention, taxon: words.map((word) => ({ identifier: ORGANISMS[word] })) };
}

// Positions count characters, but JavaScript's count UTF-16 units, two for each character above U+FFFF. This gives the
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

class BadRequest extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

// The body as bytes first: a character may be cut in two by the pieces in which it comes.
async function bodyOf(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > LARGEST) throw new BadRequest(413, `The request has more than ${LARGEST} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

async function articleOf(request) {
  if (request.method !== "POST") throw new BadRequest(405, "Articles are sent by POST.");
  const body = await bodyOf(request);
  let article;
  try {
    article = JSON.parse(body);
  } catch (error) {
    throw new BadRequest(400, `The request is not JSON: ${error.message}.`);
  }
  if (typeof article?.text !== "string") {
    throw new BadRequest(400, 'The request has no "text"; register this server to be sent the text.');
  }
  return article;
}

const server = createServer(async (request, response) => {
  let status = 200;
  let value;
  try {
    const article = await articleOf(request);
    value = { id: article.id ?? "", annotations: annotate(article.text) };
  } catch (error) {
    if (!(error instanceof BadRequest)) console.error(error);
    status = error instanceof BadRequest ? error.status : 500;
    value = { error: error instanceof BadRequest ? error.message : "The annotator failed; see the server's log." };
  }
  const body = Buffer.from(JSON.stringify(value), "utf8");
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": body.length });
  response.end(body);
});

const [port, host = "127.0.0.1"] = process.argv.slice(2);
if (port === undefined) {
  console.error("How to start: node rest_server.mjs PORT [HOST]");
  process.exit(1);
}
server.listen(Number(port), host, () => console.log(`Listening at http://${host}:${server.address().port}/`));
