import { Agent, get } from 'node:https'

// An agent of its own, as SDKs have.
get(process.argv[2], { agent: new Agent({ keepAlive: true }) }, answer => {
  if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}`)
  answer.pipe(process.stdout)
})
