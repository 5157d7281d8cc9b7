const { request } = require('undici')

const ask = async () => {
  const { statusCode, body } = await request(process.argv[2])
  if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`)
  process.stdout.write(await body.text())
  process.exit()
}
ask()
