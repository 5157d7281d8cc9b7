const answer = await fetch(process.argv[2])
if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
process.stdout.write(await answer.text())
