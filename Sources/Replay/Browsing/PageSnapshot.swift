package import Captures
package import JSON

/// A page as a browser shows it: where it is, and what a person could do on it.
///
/// Made of what a script of ours reported from inside a page that may be anybody's: every text is bounded, and
/// what is not as it should be is left out.
package struct PageSnapshot: Sendable, Hashable {
    package var url: RecordedURL
    package var title: String
    package var isComplete: Bool
    package var controls: [Control]

    /// Something that can be filled in, ticked or pressed.
    package struct Control: Sendable, Hashable {
        /// Its number in the page, for the scripts.
        package var number: Int
        /// Of an `input` or `button`, in lower case; else `select`, `textarea` or the element's name.
        package var type: String
        package var name: String
        package var id: String
        package var autocomplete: String
        package var label: String
        /// What stands on a button.
        package var text: String
        /// Empty for a password.
        package var value: String
        package var isFilled: Bool
        package var isChecked: Bool
        package var isRequired: Bool
        /// The number of its form; nil outside of any.
        package var form: Int?

        package init(
            number: Int,
            type: String,
            name: String = "",
            id: String = "",
            autocomplete: String = "",
            label: String = "",
            text: String = "",
            value: String = "",
            isFilled: Bool = false,
            isChecked: Bool = false,
            isRequired: Bool = false,
            form: Int? = nil
        ) {
            self.number = number
            self.type = type
            self.name = name
            self.id = id
            self.autocomplete = autocomplete
            self.label = label
            self.text = text
            self.value = value
            self.isFilled = isFilled
            self.isChecked = isChecked
            self.isRequired = isRequired
            self.form = form
        }
    }

    package init(url: RecordedURL, title: String = "", isComplete: Bool = true, controls: [Control] = []) {
        self.url = url
        self.title = title
        self.isComplete = isComplete
        self.controls = controls
    }

    /// Nil for what no page of ours said.
    package init?(_ json: JSONValue?) {
        guard let object = json?.object, let url = object["url"]?.string,
            let controls = object["controls"]?.array
        else { return nil }
        self.url = RecordedURL(String(url.prefix(8192)))
        title = Self.text(object["title"])
        isComplete = object["isComplete"]?.bool ?? false
        self.controls = controls.prefix(PageScripts.maximumControls).enumerated().compactMap {
            Control(number: $0, $1)
        }
    }

    fileprivate static func text(_ json: JSONValue?) -> String {
        String((json?.string ?? "").prefix(PageScripts.maximumText))
    }
}

extension PageSnapshot.Control {
    fileprivate init?(number: Int, _ json: JSONValue) {
        guard let object = json.object, let type = object["type"]?.string else { return nil }
        self.init(
            number: number,
            type: String(type.prefix(40)),
            name: PageSnapshot.text(object["name"]),
            id: PageSnapshot.text(object["id"]),
            autocomplete: PageSnapshot.text(object["autocomplete"]),
            label: PageSnapshot.text(object["label"]),
            text: PageSnapshot.text(object["text"]),
            value: PageSnapshot.text(object["value"]),
            isFilled: object["isFilled"]?.bool ?? false,
            isChecked: object["isChecked"]?.bool ?? false,
            isRequired: object["isRequired"]?.bool ?? false,
            form: object["form"]?.int.flatMap { (0..<1000).contains($0) ? Int($0) : nil }
        )
    }

    var isBox: Bool { type == "checkbox" || type == "radio" }

    var isButton: Bool {
        switch type {
        case "submit", "button", "image", "reset": true
        default: !isBox && !isText && type != "select"
        }
    }

    /// Whether something can be typed into it.
    var isText: Bool {
        ["text", "password", "email", "tel", "number", "search", "url", "textarea", "date"].contains(type)
    }

    /// What tells it from others of its page, whatever is filled in.
    var identity: String { "\(type)/\(name)/\(id)/\(isButton ? text : "")" }

    /// As a person would call it.
    var words: String { [name, id, label, text, type].first { !$0.isEmpty } ?? "" }
}

extension PageSnapshot {
    /// What tells the page from others, whatever is filled in.
    var identity: String {
        ([url.withoutQuery, title] + controls.map(\.identity)).joined(separator: "\n")
    }

    /// The names of what can be filled in.
    package var fieldNames: [String] { controls.filter { !$0.isButton }.map(\.words) }
}
