/**
 * Which secrets stand on the screen: none, those that were asked for one by one, or all; in a presentation none, whatever was
 * asked for before.
 */
export class Veil {
  constructor() {
    this.isOpen = false;
    this.isPresenting = false;
    this.single = new Set();
    /** Counts the changes. */
    this.revision = 0;
  }

  /** All secrets are shown. */
  get isLifted() {
    return this.isOpen && !this.isPresenting;
  }

  /** @param {string} place of the value, unique in what is looked at */
  shows(place) {
    return this.isLifted || (!this.isPresenting && this.single.has(place));
  }

  /** Shows or hides all; what was shown one by one is hidden with them. */
  toggle() {
    this.isOpen = !this.isOpen;
    this.single.clear();
    this.revision += 1;
  }

  /** Shows one. */
  lift(place) {
    this.single.add(place);
    this.revision += 1;
  }

  /** What was shown one by one in a capture is hidden where another one is looked at: its places are other values there. */
  look(capture) {
    if (this.capture !== undefined && this.capture !== capture && this.single.size > 0) {
      this.single.clear();
      this.revision += 1;
    }
    this.capture = capture;
  }

  /** Nothing that was shown before is shown behind a presentation either. */
  present(isPresenting) {
    this.isPresenting = isPresenting;
    this.isOpen = false;
    this.single.clear();
    this.revision += 1;
  }
}
