/// What is run inside a page, in a world of its own that the page's scripts do not see.
///
/// Each is the text of a function; what it is to work with is handed over as arguments, never written into the text.
enum PageScripts {
    /// Describes the page: where it is, and the controls that a person could use, in the order of the document.
    ///
    /// Arguments: how many controls at most, and how long a text may be. What it lists is held for the two other scripts.
    static let inspect = """
        function (maximumCount, maximumLength) {
          const text = value => String(value ?? '').replace(/\\s+/g, ' ').trim().slice(0, maximumLength);
          const isShown = element => {
            const box = element.getBoundingClientRect();
            return box.width > 0 && box.height > 0
              && (!element.checkVisibility || element.checkVisibility({checkVisibilityCSS: true}));
          };
          const held = [];
          const forms = [];
          let left = 50000;
          const walk = (root, depth) => {
            for (const element of root.querySelectorAll('*')) {
              if (left-- <= 0 || held.length >= maximumCount) return;
              if (element.shadowRoot && depth < 8) walk(element.shadowRoot, depth + 1);
              const isControl = element.matches('input, select, textarea, button, [role=button]');
              if (!isControl || element.type === 'hidden' || element.disabled || element.readOnly) continue;
              const isBox = element.type === 'checkbox' || element.type === 'radio';
              const labels = [...(element.labels ?? [])];
              if (isShown(element) || isBox && labels.some(isShown)) held.push(element);
            }
          };
          walk(document, 0);
          globalThis.heldControls = held;
          return {
            url: location.href.slice(0, 8192),
            title: text(document.title),
            isComplete: document.readyState === 'complete',
            controls: held.map(element => {
              const isInput = element.tagName === 'INPUT';
              const type = isInput || element.tagName === 'BUTTON' ? element.type : element.tagName.toLowerCase();
              const label = element.labels?.[0]?.innerText;
              if (element.form && !forms.includes(element.form)) forms.push(element.form);
              return {
                type: text(type).toLowerCase(),
                name: text(element.getAttribute('name')),
                id: text(element.id),
                autocomplete: text(element.getAttribute('autocomplete')).toLowerCase(),
                label: text(label || element.getAttribute('aria-label') || element.getAttribute('placeholder')),
                text: text(isInput ? '' : element.innerText),
                value: type === 'password' ? '' : text(element.value),
                isFilled: element.value !== undefined && element.value !== '',
                isChecked: element.checked === true,
                isRequired: element.required === true,
                form: element.form ? forms.indexOf(element.form) : -1,
              };
            }),
          };
        }
        """

    /// Fills controls in: argument is a list of pairs, the number of a control and its text, or whether it is ticked.
    ///
    /// Frameworks hear of it by the events that a person's typing would have raised.
    static let fill = """
        function (entries) {
          for (const [number, value] of entries) {
            const element = globalThis.heldControls?.[number];
            if (!element?.isConnected) continue;
            element.focus();
            if (typeof value === 'boolean') {
              if (element.checked !== value) element.click();
              continue;
            }
            element.value = value;
            element.dispatchEvent(new Event('input', {bubbles: true, composed: true}));
            element.dispatchEvent(new Event('change', {bubbles: true, composed: true}));
          }
          return true;
        }
        """

    /// Presses a control; argument is its number.
    static let press = """
        function (number) {
          const element = globalThis.heldControls?.[number];
          if (!element?.isConnected) return false;
          element.click();
          return true;
        }
        """

    /// The name of the world that they run in.
    static let world = "authreel"
    static let maximumControls = 300
    static let maximumText = 200
}
