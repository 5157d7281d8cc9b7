/** After a server that does not answer one waits so long, in milliseconds; each time longer, up to so long. */
const PATIENCE = 2000;
const MOST_PATIENCE = 30_000;

/**
 * Asks for what is new until the recording is over, ever more seldom where nobody answers: the machine may have slept.
 *
 * @param {{changes: (revision: number) => Promise<object>, drawn: () => Promise<object>}} source
 * @param {number} revision of what is known
 * @param {object} page
 * @param {(change: object) => Promise<void> | void} page.take
 * @param {(state: "live" | "still" | "over" | "gone") => void} page.tell `still`: nobody records, at this moment
 * @param {() => Promise<void>} page.keep nothing can be asked any more when this is done
 * @param {(milliseconds: number) => Promise<void>} [pause]
 */
export async function follow(source, revision, { take, tell, keep }, pause = (time) => new Promise((resolve) => setTimeout(resolve, time))) {
  let known = revision;
  let failures = 0;
  for (;;) {
    try {
      const change = await source.changes(known);
      failures = 0;
      if (change.revision > known) await take(change);
      known = change.revision;
      if (change.live) {
        tell(change.recorded ? "live" : "still");
        continue;
      }
      await keep();
      tell("over");
      // The server goes when the last of it is drawn and kept, or is gone already.
      return void source.drawn().catch(() => {});
    } catch {
      tell("gone");
      await pause(Math.min(PATIENCE * 2 ** failures, MOST_PATIENCE));
      failures += 1;
    }
  }
}
