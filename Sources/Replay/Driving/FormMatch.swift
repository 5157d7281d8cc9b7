import Captures

/// How well a page's form fits the fields that were recorded.
struct FormMatch {
    let form: HTMLForm
    /// Recorded fields that the form has.
    let common: Int
    /// Recorded fields that it lacks: scripts add some.
    let missing: Int
    let isSamePath: Bool

    /// Nil where it cannot be the one.
    ///
    /// `target`: where the recorded fields went; `action`: where the form goes.
    init?(_ form: HTMLForm, _ items: QueryItems, isPost: Bool, target: RecordedURL, action: RecordedURL) {
        guard (form.method == "post") == isPost else { return nil }
        let names = Set(form.fields.map(\.name))
        let recorded = Set(items.items.map(\.name))
        common = recorded.intersection(names).count
        missing = recorded.subtracting(names).count
        isSamePath = action.path == target.path
        self.form = form
        // A search form of the same page has nothing in common; a form without names may go to the same place.
        guard common > 0 || isSamePath && recorded.isEmpty else { return nil }
        guard isSamePath || missing == 0 || common > missing else { return nil }
    }

    /// More is better.
    var score: Int { common * 4 - missing + (isSamePath ? 8 : 0) }

    /// The form of a page that fits best.
    static func best(
        in page: Page,
        for items: QueryItems,
        isPost: Bool,
        target: RecordedURL
    ) -> HTMLForm? {
        page.forms.compactMap {
            FormMatch(
                $0,
                items,
                isPost: isPost,
                target: target,
                action: page.target(of: $0, sentTo: target).url
            )
        }
        .max { $0.score < $1.score }?.form
    }
}
