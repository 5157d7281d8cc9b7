"""Pages that `authreel show --format html` wrote, opened as a person opens them, with everything seen that they should not do."""
import browser

# What stands on the page; rows that are out of view are not in the document.
LOOK = """
const text = css => [...document.querySelectorAll(css)].map(node => node.innerText);
return {
  title: document.title,
  flows: text('.overview button b'),
  findings: text('.findings > li > h3'),
  rows: [...document.querySelectorAll('.row')].map(row => row.getAttribute('aria-label')),
  values: [...document.querySelectorAll('.message-panel .values tr')].map(row => row.innerText),
  marked: text('.row mark'),
  heading: text('.message-panel h2'),
  chosen: text('.message-panel .chosen th'),
  hash: location.hash,
  attacked: window.attacked ?? null,
};
"""

# Every control that can be reached has a name; text stands out from its ground (WCAG 2.2, 1.4.3, 4.1.2); sizes (2.5.8).
FAULTS = """
const faults = [];
const visible = node => node.getClientRects().length > 0;
for (const node of document.querySelectorAll('button, a[href], summary, [tabindex="0"], img')) {
  if (!visible(node)) continue;
  const name = node.getAttribute('aria-label') || node.textContent || node.getAttribute('alt');
  if (!name || !name.trim()) faults.push('no name: ' + node.outerHTML.slice(0, 80));
  const box = node.getBoundingClientRect();
  if (node.tagName !== 'A' && (box.width < 24 || box.height < 24)) faults.push('too small: ' + node.outerHTML.slice(0, 80));
}
const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
const colour = text => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] / 255 + below[i] * (1 - top[3] / 255));
const ground = node => node === null ? [255, 255, 255] : over(colour(getComputedStyle(node).backgroundColor), ground(node.parentElement));
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !visible(node) || ['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(node.tagName)) continue;
  const below = ground(node);
  const [one, other] = [light(over(colour(getComputedStyle(node).color), below)), light(below)].sort((a, b) => b - a);
  if ((one + 0.05) / (other + 0.05) < 4.5) faults.push('contrast: ' + walker.currentNode.data.trim().slice(0, 40));
}
return [...new Set(faults)];
"""

KEY = """
const target = document.activeElement ?? document.body;
target.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true, cancelable: true}));
"""


def visit(window, file, hash, steps):
    """Opens a page and does what `steps` say, one of (key KEY), (click CSS), (text CSS WORDS: click what says so)."""
    driver = window.driver
    driver.go("about:blank")
    # What the browser's own pages asked for.
    driver.events()
    driver.go(f"file://{file}{hash}")
    browser.until(f"{file} to be drawn", lambda: driver.run("return !!document.querySelector('main')"), seconds=20)
    seen = [driver.run(LOOK)]
    for kind, *words in steps:
        if kind == "key":
            driver.run(KEY, words[0])
        else:
            driver.run(
                "const [css, words] = arguments; const found = [...document.querySelectorAll(css)]"
                ".find(node => words === null || (node.getAttribute('aria-label') ?? node.innerText).includes(words));"
                "if (!found) throw new Error('there is no ' + css); found.click();",
                words[0], words[1] if len(words) > 1 else None)
        seen.append(driver.run(LOOK))
    events = driver.events()
    requests = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    log = driver.call("POST", driver.session + "/se/log", {"type": "browser"})
    return {"file": str(file), "seen": seen, "faults": driver.run(FAULTS), "log": [entry["message"] for entry in log],
            # The page itself, and what is in it.
            "requests": [url for url in requests if not url.startswith((f"file://{file}", "data:", "about:"))]}


def visit_all(state, plan):
    """`plan`: a list of {file, hash, steps}; what was seen of each."""
    with browser.opened(state, None, None) as window:
        return [visit(window, item["file"], item.get("hash", ""), item.get("steps", [])) for item in plan]
