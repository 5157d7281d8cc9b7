// Node's http2 with a server of this process's own: the server in the script's table knows HTTP/1.1 only.
import http2, { connect } from "node:http2"
import { promisify } from "node:util"

const server = http2.createServer()
server.on("stream", (stream, headers) => {
  stream.respond({ ":status": 200, "content-type": "text/plain" })
  stream.end(`hello ${new URL(headers[":path"], "http://x").searchParams.get("client")}\n`)
})
await new Promise(resolve => server.listen(0, "127.0.0.1", resolve))

const address = `http://127.0.0.1:${server.address().port}`
const ask = (session, name) => new Promise((resolve, reject) => {
  session.on("error", reject)
  const stream = session.request({ ":path": `/who?client=${name}` }).on("error", reject)
  stream.setEncoding("utf8").on("data", text => process.stdout.write(text))
  stream.on("end", () => session.close(resolve))
})
await ask(http2.connect(address), "module")
await ask(connect(address), "name")
await ask(await promisify(connect)(address), "promise")
server.close()
