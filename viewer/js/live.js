/** After a server that does not answer one waits so long, in milliseconds. */
const PATIENCE = 2000;

/**
 * Asks for what is new until the recording is over, or nobody is asked any more.
 *
 * @param {{changes: (revision: number) => Promise<object>, drawn: () => Promise<object>}} source
 * @param {number} revision of what is known
 * @param {(change: object) => Promise<void> | void} take
 * @param {(state: "live" | "over" | "gone") => void} tell
 * @param {(milliseconds: number) => Promise<void>} [pause]
 */
export async function follow(source, revision, take, tell, pause = (time) => new Promise((resolve) => setTimeout(resolve, time))) {
  let known = revision;
  let failures = 0;
  while (failures < 3) {
    try {
      const change = await source.changes(known);
      failures = 0;
      if (change.revision > known) await take(change);
      known = change.revision;
      tell(change.live ? "live" : "over");
      // The server goes when the last of it is drawn, or is gone already.
      if (!change.live) return void source.drawn().catch(() => {});
    } catch {
      failures += 1;
      tell("gone");
      await pause(PATIENCE);
    }
  }
}
