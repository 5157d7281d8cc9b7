import Captures
import OAuth

/// Decides what to do on a page, out of what the person of the recording did: which controls to fill in, which
/// button to press.
///
/// Remembers what it has used: no value is entered twice where the recording entered it once, so that a page that
/// turns down a password is not asked again and again.
package struct PageFilling {
    /// One thing to do on a page; controls are named by their number in the snapshot.
    package enum Move: Sendable, Hashable {
        /// Text for a control, by number.
        case fill([Assignment])
        case press(Int)
        /// Nothing that the recording knows of can be done here.
        case none
    }

    /// What is to be in a control.
    package struct Assignment: Sendable, Hashable {
        package enum Value: Sendable, Hashable {
            case text(String)
            case ticked(Bool)
        }

        package var control: Int
        package var value: Value

        package init(control: Int, value: Value) {
            self.control = control
            self.value = value
        }
    }

    private let entries: [PersonsEntries.Entry]
    /// Whether a page without fields is gone on from, though the recording has nothing for it.
    private let goesOn: Bool
    /// Fields that have been entered, by entry and place in it.
    private var used: Set<[Int]> = []
    /// What has been filled in on which page and is about to be sent.
    private var filled: Fit?
    private var presses: [String: Int] = [:]

    /// A page that shows the same button after this many presses does not mean to go on.
    private static let maximumPresses = 3

    package init(_ entries: PersonsEntries, goesOn: Bool) {
        self.entries = entries.entries
        self.goesOn = goesOn
    }

    /// What to do on a page that does not change any more.
    package mutating func move(on page: PageSnapshot) -> Move {
        if let fit = filled {
            filled = nil
            if fit.identities.isSubset(of: page.controls.map(\.identity)) { return press(fit, on: page) }
            // The page has sent it by itself, as those do that want nothing but a code.
            used.formUnion(fit.used)
        }
        for index in entries.indices {
            guard let fit = fit(index, page) else { continue }
            guard fit.isWhole else { return .none }
            if fit.assignments.isEmpty { return press(fit, on: page) }
            filled = fit
            return .fill(fit.assignments)
        }
        guard goesOn, !asks(page) else { return .none }
        return press(nil, on: page)
    }

    // MARK: - Fitting

    /// What an entry has for a page.
    private struct Fit {
        /// Only what is not so already.
        var assignments: [Assignment]
        /// Those that belong to the entry, also where nothing has to be changed.
        var controls: Set<Int>
        /// What the controls are called.
        var identities: Set<String> = []
        var used: Set<[Int]>
        var entry: PersonsEntries.Entry
        /// Nothing is missing that the page asks for.
        var isWhole: Bool
        /// Boxes that stand for what the person agreed to.
        var isConsent: Bool
    }

    private func fit(_ index: Int, _ page: PageSnapshot) -> Fit? {
        let entry = entries[index]
        var fit = Fit(assignments: [], controls: [], used: [], entry: entry, isWhole: true, isConsent: false)
        fillTexts(index, page, &fit)
        fillBoxes(index, page, &fit)
        if fit.controls.isEmpty {
            // A button alone: pressed once for each time that the recording sent a form without a field.
            let isAlone = entry.isForm && entry.fields.allSatisfy { !$0.isSecret }
            guard isAlone, !used.contains([index]), !asks(page),
                let button = button(for: fit, on: page, onlyRecorded: !entry.fields.isEmpty)
            else { return nil }
            fit.controls = [button.number]
        }
        fit.used.insert([index])
        fit.identities = Set(
            page.controls.filter { fit.controls.contains($0.number) }.map(\.identity)
        )
        return fit
    }

    private func fillTexts(_ index: Int, _ page: PageSnapshot, _ fit: inout Fit) {
        var isSecretMissing = false
        for control in page.controls where control.isText || control.type == "select" {
            // What a page wants at once today the recording may have been asked for in turn.
            for later in entries.indices[index...] where later == index || !fit.controls.isEmpty {
                let place = entries[later].fields.indices.first { place in
                    !used.contains([later, place]) && !fit.used.contains([later, place])
                        && Self.matches(entries[later].fields[place], control, page)
                }
                guard let place else { continue }
                let field = entries[later].fields[place]
                fit.used.insert([later, place])
                fit.controls.insert(control.number)
                if let value = field.value {
                    if control.value != value || control.type == "password" {
                        fit.assignments.append(Assignment(control: control.number, value: .text(value)))
                    }
                } else {
                    isSecretMissing = true
                }
                break
            }
        }
        let isOpen = page.controls.contains { control in
            Self.isAsking(control) && !control.isFilled && !fit.controls.contains(control.number)
        }
        if !fit.controls.isEmpty, isSecretMissing || isOpen { fit.isWhole = false }
    }

    private func fillBoxes(_ index: Int, _ page: PageSnapshot, _ fit: inout Fit) {
        let entry = entries[index]
        func set(_ control: PageSnapshot.Control, _ value: Bool) {
            // By its own name counts more than by a word in it.
            guard fit.controls.insert(control.number).inserted else { return }
            if control.isChecked != value {
                fit.assignments.append(Assignment(control: control.number, value: .ticked(value)))
            }
        }
        let boxes = page.controls.filter(\.isBox)
        for (place, field) in entry.fields.enumerated() where !used.contains([index, place]) {
            guard let value = field.value else { continue }
            for control in boxes where !control.name.isEmpty && control.name == field.name {
                guard control.value == value || control.value == "on" || control.value.isEmpty else {
                    continue
                }
                set(control, true)
                fit.used.insert([index, place])
            }
            // Agreed to by name: {"scope": "openid profile"}.
            guard ["scope", "scopes"].contains(field.name.lowercased()) else { continue }
            let agreed = Set(value.spaceDelimited)
            let matching = boxes.filter { !agreed.isDisjoint(with: Self.tokens(of: $0)) }
            guard let stem = matching.first.map(Self.stem) else { continue }
            for control in boxes where control.type == "checkbox" && Self.stem(of: control) == stem {
                set(control, !agreed.isDisjoint(with: Self.tokens(of: control)))
            }
            fit.used.insert([index, place])
            fit.isConsent = true
        }
        guard entry.isForm, !fit.controls.isEmpty else { return }
        let names = Set(entry.fields.map(\.name))
        for control in boxes
        where control.type == "checkbox" && !control.name.isEmpty && !names.contains(control.name)
            && !fit.controls.contains(control.number)
        {
            set(control, false)
        }
    }

    // MARK: - Pressing

    private mutating func press(_ fit: Fit?, on page: PageSnapshot) -> Move {
        guard let button = button(for: fit, on: page, onlyRecorded: false) else {
            return .none
        }
        let key = page.identity + "\n" + button.identity
        if fit == nil, presses[key, default: 0] >= Self.maximumPresses { return .none }
        presses[key, default: 0] += 1
        if let fit { used.formUnion(fit.used) }
        return .press(button.number)
    }

    /// The recorded button; else the one of the form that was filled in; else one that says to go on.
    private func button(for fit: Fit?, on page: PageSnapshot, onlyRecorded: Bool) -> PageSnapshot.Control? {
        let buttons = page.controls.filter { $0.isButton && $0.type != "reset" }
        if let entry = fit?.entry, entry.isForm {
            let recorded = buttons.first { button in
                !button.name.isEmpty
                    && entry.fields.contains { $0.name == button.name && ($0.value ?? "") == button.value }
            }
            if let recorded { return recorded }
        }
        guard !onlyRecorded else { return nil }
        let form = page.controls.first { fit?.controls.contains($0.number) ?? false && $0.form != nil }?.form
        let isConsent = fit?.isConsent ?? false
        let rated = buttons.compactMap { button -> (PageSnapshot.Control, Int)? in
            var score = PageWords.score(of: button, isConsent: isConsent)
            guard score > -100 else { return nil }
            if form != nil, button.form == form { score += button.type == "submit" ? 60 : 30 }
            if fit == nil || form == nil, button.form != nil, button.type == "submit" { score += 5 }
            return (button, score)
        }
        // The first of the best.
        guard let best = rated.max(by: { $0.1 == $1.1 ? $0.0.number > $1.0.number : $0.1 < $1.1 }) else {
            return nil
        }
        if best.1 > 5 { return best.0 }
        // Nothing that says anything: the only way that the page has.
        return rated.count == 1 ? best.0 : nil
    }

    // MARK: - Reading a page

    /// Whether the page asks for something that only a person knows.
    ///
    /// A secret that is still there is one that was turned down.
    private func asks(_ page: PageSnapshot) -> Bool {
        page.controls.contains { control in
            control.type == "password" || Self.isCode(control) || Self.isAsking(control) && !control.isFilled
        }
    }

    private static func isAsking(_ control: PageSnapshot.Control) -> Bool {
        control.type == "password" || isCode(control)
            || control.isText && (control.isRequired || isPersonsName(control))
    }

    private static func matches(
        _ field: PersonsEntries.Field,
        _ control: PageSnapshot.Control,
        _ page: PageSnapshot
    ) -> Bool {
        let isTyped = field.isSecret && SecretNames.isTyped(field.name)
        // A password goes nowhere where it can be read.
        if control.type == "password" {
            return isTyped && !SecretNames.isOneTime(field.name) || plain(control) == plain(field.name)
        }
        if SecretNames.isOneTime(field.name) { return isCode(control) || control.name == field.name }
        if isTyped { return false }
        if control.name == field.name || control.id == field.name { return true }
        if plain(control) == plain(field.name) { return true }
        guard isPersonsName(field.name), control.isText else { return false }
        if isPersonsName(control) { return true }
        // The only text beside a password is who it belongs to.
        return page.controls.filter { $0.isText && $0.type != "password" && !isCode($0) }.count == 1
            && page.controls.contains { $0.type == "password" }
    }

    private static func isCode(_ control: PageSnapshot.Control) -> Bool {
        control.autocomplete == "one-time-code" || SecretNames.isOneTime(control.name)
            || SecretNames.isOneTime(control.id)
    }

    private static func isPersonsName(_ control: PageSnapshot.Control) -> Bool {
        control.type == "email" || ["username", "email"].contains(control.autocomplete)
            || isPersonsName(control.name) || isPersonsName(control.id)
    }

    /// Whether a field of this name takes who the person is.
    static func isPersonsName(_ name: String) -> Bool { SignIn.names.contains(name.lowercased()) }

    private static func plain(_ control: PageSnapshot.Control) -> String {
        plain(control.name.isEmpty ? control.id : control.name)
    }

    /// `user-name`, `userName` and `user_name` are one.
    private static func plain(_ name: String) -> String {
        String(decoding: name.lowercased().utf8.filter { isLetterOrDigit($0) }, as: UTF8.self)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte) || byte.isASCIIDigit || byte >= 0x80
    }

    /// The words of what a box is called: `grant-offline_access` is about `offline_access`.
    private static func tokens(of control: PageSnapshot.Control) -> Set<String> {
        var tokens: Set<String> = []
        for text in [control.name, control.id, control.value] {
            tokens.insert(text)
            tokens.formUnion(text.split { "-.[]: ".contains($0) }.map(String.init))
        }
        return tokens
    }

    /// What the boxes of a list are called alike.
    private static func stem(of control: PageSnapshot.Control) -> String {
        let name = control.id.isEmpty ? control.name : control.id
        return name.split(omittingEmptySubsequences: false) { "-.[]: ".contains($0) }.first.map(String.init)
            ?? name
    }
}
