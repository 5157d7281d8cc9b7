"""The viewer's pages, a file's or a server's, used as a person uses them, with everything seen that they should not do."""
import base64
import pathlib
import time

import browser

# What stands on the page; rows that are out of view are not in the document.
LOOK = """
const text = css => [...document.querySelectorAll(css)].map(node => node.innerText);
const labels = css => [...document.querySelectorAll(css)].map(node => node.getAttribute('aria-label'));
const active = document.activeElement;
return {
  title: document.title,
  verdict: text('.verdict'),
  flows: labels('.login'),
  findings: text('.findings > li > h3'),
  rows: labels('.diagram .row'),
  exchanges: labels('.exchange'),
  values: text('.message-panel .values tr'),
  marked: text('.row mark'),
  way: text('.way-panel li'),
  heading: text('.message-panel h2'),
  chosen: text('.message-panel .chosen th'),
  steps: text('.steps tbody tr'),
  headline: text('.compare .headline, .compare .good'),
  results: text('.results li'),
  cookies: text('.cookies li'),
  pkce: text('.pkce li'),
  dialog: text('dialog[open]'),
  notice: text('.notice'),
  live: text('.badge.live'),
  waits: text('.wait'),
  focus: active && active !== document.body ? active.getAttribute('aria-label') ?? active.innerText : '',
  nodes: document.querySelectorAll('*').length,
  hash: location.hash,
  attacked: window.attacked ?? null,
};
"""

# Every control that can be reached has a name, once; text and edges stand out from their ground (WCAG 2.2, 1.4.3, 1.4.11, 4.1.2); sizes
# (2.5.8); the order of the focus is that of the page (2.4.3); headings do not leave out a level; ids are there once.
FAULTS = """
const faults = [];
const visible = node => node.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true});
const said = node => node.outerHTML.slice(0, 90);
const label = node => node.getAttribute('aria-label') || document.getElementById(node.getAttribute('aria-labelledby') ?? '')?.textContent
  || node.closest('label')?.innerText || node.innerText || node.getAttribute('alt');
for (const node of document.querySelectorAll('button, a[href], summary, select, input, textarea, [tabindex="0"], img, dialog[open], [role="listbox"], section, nav')) {
  if (!visible(node)) continue;
  if (['SECTION'].includes(node.tagName) && !node.hasAttribute('tabindex')) continue;
  if (!label(node)?.trim()) faults.push('no name: ' + said(node));
  const box = node.getBoundingClientRect();
  if (['BUTTON', 'SUMMARY', 'SELECT', 'INPUT'].includes(node.tagName) && node.type !== 'checkbox' && (box.width < 24 || box.height < 24)) faults.push('too small: ' + said(node));
}
for (const node of document.querySelectorAll('[tabindex]')) if (Number(node.getAttribute('tabindex')) > 0) faults.push('focus out of order: ' + said(node));
const parts = [...document.querySelectorAll('.part')].filter(visible);
for (const [index, part] of parts.entries()) {
  const [own, before] = [part, parts[index - 1] ?? part].map(node => node.getBoundingClientRect());
  if (own.top < before.top - 1 || (own.top < before.top + 1 && own.left < before.left)) faults.push('focus out of order: ' + part.className);
}
const ids = [...document.querySelectorAll('[id]')].map(node => node.id);
for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push('id twice: ' + id);
for (const node of document.querySelectorAll('[aria-activedescendant]')) {
  const id = node.getAttribute('aria-activedescendant');
  if (!document.getElementById(id) && node === document.activeElement) faults.push('active row is not there: ' + id);
}
let level = 1;
for (const node of document.querySelectorAll('h1, h2, h3, h4')) {
  if (!visible(node)) continue;
  if (Number(node.tagName[1]) > level + 1) faults.push('heading leaves out a level: ' + said(node));
  level = Number(node.tagName[1]);
  const [own, around] = [node, node.parentElement].map(each => parseFloat(getComputedStyle(each).fontSize));
  if (own < around * 0.95) faults.push('heading smaller than its text: ' + said(node));
}
if (!document.documentElement.lang) faults.push('no language');
if (document.documentElement.scrollWidth > innerWidth + 1) faults.push('wider than the window: ' + document.documentElement.scrollWidth);
for (const node of document.querySelectorAll('.part')) if (node.scrollWidth > node.clientWidth + 1) faults.push('wider than its part: ' + node.className);
const lanes = [...document.querySelectorAll('.diagram .line')].map(node => node.getBoundingClientRect().left);
for (const node of document.querySelectorAll('.diagram .at')) {
  const { left, right } = node.getBoundingClientRect();
  if (lanes.some(lane => lane > left - 2 && lane < right + 2)) faults.push('time on a lane: ' + node.innerText);
}
const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
const colour = text => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] / 255 + below[i] * (1 - top[3] / 255));
const paper = colour(getComputedStyle(document.body).backgroundColor).slice(0, 3);
const ground = node => node === null ? paper : over(colour(getComputedStyle(node).backgroundColor), ground(node.parentElement));
const contrast = (style, node) => {
  const below = ground(node);
  const [one, other] = [light(over(colour(style.color), below)), light(below)].sort((a, b) => b - a);
  return (one + 0.05) / (other + 0.05);
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !visible(node) || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION'].includes(node.tagName) || node.closest(':disabled')) continue;
  if (contrast(getComputedStyle(node), node) < 4.5) faults.push('contrast: ' + walker.currentNode.data.trim().slice(0, 40));
}
for (const node of document.querySelectorAll('input:not([type="checkbox"]), select, button.masked')) {
  const edge = {color: getComputedStyle(node).borderTopColor};
  if (visible(node) && contrast(edge, node.parentElement) < 3) faults.push('edge: ' + said(node));
}
for (const node of document.querySelectorAll('th:has(wbr):not([aria-label])')) faults.push('read in pieces: ' + said(node));
for (const node of document.querySelectorAll('[placeholder]')) {
  if (visible(node) && contrast(getComputedStyle(node, '::placeholder'), node) < 4.5) faults.push('contrast: ' + node.placeholder);
}
return [...new Set(faults)];
"""

# Keys that are no characters (WebDriver, section 17.4.2).
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Home": "\ue011", "End": "\ue010", "ArrowLeft": "\ue012",
        "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "PageDown": "\ue00f", "Shift": "\ue008"}

CLICK = """
const [css, words] = arguments;
const found = [...document.querySelectorAll(css)].find(node => words === null || (node.getAttribute('aria-label') ?? node.innerText).includes(words));
if (!found) throw new Error('there is no ' + css + ' ' + words);
found.click();
"""

HOLDS = """
const [css, words] = arguments;
return [...document.querySelectorAll(css)].some(node => ((node.getAttribute('aria-label') ?? '') + node.innerText).includes(words));
"""

# The longest pause between two frames while a list is scrolled from one end to the other, in milliseconds.
SCROLL = """
const [css, done] = arguments;
const list = document.querySelector(css);
const pauses = [];
let last = performance.now(), step = 0;
const draw = now => {
  pauses.push(now - last);
  last = now;
  step += 1;
  list.scrollTop = list.scrollHeight * step / 120;
  if (step < 120) requestAnimationFrame(draw); else { pauses.sort((a, b) => a - b); done({longest: pauses.at(-1), median: pauses[60], nodes: document.querySelectorAll('*').length}); }
};
requestAnimationFrame(draw);
"""


# What a recording that goes on looks like on the page.
WATCH = """
return {
  flow: document.querySelector('.login[aria-selected="true"]')?.getAttribute('aria-label').split(',')[0] ?? null,
  rows: document.querySelectorAll('.diagram .row.message').length,
  logins: [...document.querySelectorAll('.login')].map(node => node.getAttribute('aria-label')),
  live: document.querySelector('.badge.live')?.innerText ?? '',
};
"""


def watch(driver, words, seconds):
    """Each state of the page that is another one than the one before, until it says so."""
    states, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        state = driver.run(WATCH)
        if not states or states[-1] != state:
            states.append(state)
        if words in state["live"]:
            # What came with these words is drawn.
            time.sleep(0.5)
            settle(driver, words)
            return states + [driver.run(WATCH)]
        time.sleep(0.1)
    raise RuntimeError(f"{words} did not come within {seconds} s: {states}")


def ready(driver):
    return driver.run("return document.documentElement.dataset.state === 'ready'")


def settle(driver, what):
    browser.until(f"{what} to be drawn", lambda: ready(driver), seconds=30)


def press(driver, keys):
    """Real key presses, one after the other; `Shift+Tab` holds the first."""
    actions = []
    for key in keys:
        *held, last = key.split("+") if len(key) > 1 else [key]
        held, last = [KEYS[name] for name in held], KEYS.get(last, last)
        for kind, names in (("keyDown", held + [last]), ("keyUp", [last] + held)):
            actions += [{"type": kind, "value": name} for name in names]
    driver.call("POST", driver.session + "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})


def look(driver, scheme, media=""):
    # What moves would be measured on its way.
    features = [{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]
    driver.devtools("Emulation.setEmulatedMedia", media=media, features=features)


def do(driver, kind, words):
    """One step: key KEY…, click CSS [WORDS], type TEXT, wait CSS WORDS, size WIDTH HEIGHT, dark, light, paper, screen, shot FILE, scroll CSS, watch
    WORDS SECONDS, run SCRIPT."""
    if kind == "key":
        press(driver, words)
    elif kind == "type":
        press(driver, list(words[0]))
    elif kind == "click":
        driver.run(CLICK, words[0], words[1] if len(words) > 1 else None)
    elif kind == "wait":
        browser.until(f"{words} to be there", lambda: driver.run(HOLDS, *words), seconds=30)
    elif kind == "size":
        driver.devtools("Emulation.setDeviceMetricsOverride", width=int(words[0]), height=int(words[1]), deviceScaleFactor=1, mobile=False)
    elif kind in ("dark", "light"):
        look(driver, kind)
    elif kind == "paper":
        driver.run("dispatchEvent(new Event('beforeprint'))")
        look(driver, "light", "print")
    elif kind == "screen":
        look(driver, "light")
        driver.run("dispatchEvent(new Event('afterprint'))")
    elif kind == "shot":
        time.sleep(0.2)
        picture = driver.devtools("Page.captureScreenshot", format="png")
        pathlib.Path(words[0]).write_bytes(base64.b64decode(picture["data"]))
    elif kind == "scroll":
        return driver.call("POST", driver.session + "/execute/async", {"script": SCROLL, "args": list(words)})
    elif kind == "watch":
        return watch(driver, words[0], float(words[1]))
    elif kind == "run":
        return driver.run(words[0])
    else:
        raise ValueError(f"there is no step {kind}")
    return None


def visit(window, item):
    """Opens a page and does what its steps say; what was seen before the first step and after each, and what is wrong at the end."""
    driver = window.driver
    url = item["url"] if "url" in item else "file://" + item["file"] + item.get("hash", "")
    driver.go("about:blank")
    # What the browser's own pages asked for.
    driver.events()
    driver.call("POST", driver.session + "/se/log", {"type": "browser"})
    driver.devtools("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)
    look(driver, "light")
    began = time.monotonic()
    driver.go(url)
    settle(driver, url)
    opened = time.monotonic() - began
    seen, results = [driver.run(LOOK)], []
    for kind, *words in item.get("steps", []):
        results.append(do(driver, kind, words))
        settle(driver, url)
        seen.append(driver.run(LOOK))
    events = driver.events()
    requests = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    log = driver.call("POST", driver.session + "/se/log", {"type": "browser"})
    own = url.split("#")[0]
    return {"url": url, "seen": seen, "results": results, "opened": opened, "faults": driver.run(FAULTS),
            "log": [entry["message"] for entry in log],
            # The page itself, what it is served with, and what is in it.
            "requests": [asked for asked in requests if not asked.startswith((own, "data:", "about:", "blob:"))]}


def visit_all(state, plan):
    """`plan`: a list of {file and hash, or url; steps}; what was seen of each."""
    with browser.opened(state, None, None) as window:
        return [visit(window, item) for item in plan]
