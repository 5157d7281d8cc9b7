import Captures
import JSON

/// Changes single things in a recorded request and leaves the bytes of the rest as they are.
struct RequestEditor {
    /// A parameter in the order in which it was sent.
    struct Item: Hashable {
        var name: String
        var value: String
        var isInBody: Bool
        /// As it stood on the wire; nil for one that was set.
        var raw: String?
    }

    /// What the body is a list of parameters as.
    enum Format: String, Hashable {
        case none
        case form
        case json
        /// Something else, which is not taken apart.
        case other
    }

    private(set) var request: RecordedRequest
    private(set) var items: [Item]
    let format: Format
    /// Members of a JSON body that are no strings stay where they are.
    private var json = JSONObject()

    init(_ request: RecordedRequest) {
        self.request = request
        var items = Self.items(request.url.query ?? "", isInBody: false)
        let body = request.body.flatMap { ($0.size ?? 1) > 0 && $0.isRecorded ? $0 : nil }
        if let body, let form = FormBody.items(of: body) ?? Self.misnamed(body) {
            format = .form
            items += form.items.map {
                Item(
                    name: $0.name,
                    value: $0.value,
                    isInBody: true,
                    raw: "\(PercentEncoding.encode($0.name))=\($0.rawValue)"
                )
            }
        } else if let object = JSONBody.value(of: body)?.object {
            format = .json
            json = object
            items += object.members.compactMap { member in
                member.value.string.map { Item(name: member.name, value: $0, isInBody: true, raw: nil) }
            }
        } else {
            format = body == nil ? .none : .other
        }
        self.items = items
    }

    /// A form by what is in it, whatever it is called; files that browsers upload are none.
    private static func misnamed(_ body: Body) -> QueryItems? {
        body.essence == MultipartForm.mediaType ? nil : FormBody.misnamedItems(of: body)
    }

    private static func items(_ raw: String, isInBody: Bool) -> [Item] {
        raw.utf8.split(separator: 0x26).compactMap { pair in
            let text = String(Substring(pair))
            return QueryItems(text).items.first.map {
                Item(name: $0.name, value: $0.value, isInBody: isInBody, raw: text)
            }
        }
    }

    // MARK: - Parameters

    /// Index of the parameter of a name, the `number`th of them from zero.
    private func index(of name: String, _ number: Int) -> Int? {
        items.indices.filter { items[$0].name == name }.dropFirst(number).first
    }

    func value(of name: String, _ number: Int = 0) -> String? {
        index(of: name, number).map { items[$0].value }
    }

    /// Sets a parameter where it stands, or adds it.
    mutating func set(_ name: String, _ number: Int, to value: String, isInBody: Bool) {
        let item = Item(name: name, value: value, isInBody: isInBody, raw: nil)
        if let index = index(of: name, number) {
            items[index] = item
        } else {
            items.append(item)
        }
        write()
    }

    mutating func remove(_ name: String, _ number: Int) {
        guard let index = index(of: name, number) else { return }
        items.remove(at: index)
        write()
    }

    private mutating func write() {
        let query = Self.text(items.filter { !$0.isInBody })
        request.url = RecordedURL(request.url.withoutQuery + (query.isEmpty ? "" : "?\(query)"))
        let own = items.filter(\.isInBody)
        switch format {
        case .other: break
        case .none, .form:
            guard !own.isEmpty || request.body != nil else { break }
            request.body = Body(
                text: Self.text(own),
                mediaType: request.body.map(\.mediaType) ?? FormBody.mediaType
            )
        case .json:
            var object = json
            object.members.removeAll { $0.value.string != nil }
            object.members += own.map { JSONObject.Member(name: $0.name, value: .string($0.value)) }
            request.body = Body(
                text: JSONWriter.text(of: .object(object)),
                mediaType: request.body?.mediaType ?? "application/json"
            )
        }
    }

    private static func text(_ items: [Item]) -> String {
        items.map {
            $0.raw ?? "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))"
        }.joined(separator: "&")
    }

    // MARK: - The rest

    /// Sets the values of a header field; none removes it.
    mutating func setHeader(_ name: String, to values: [String]) {
        let place = request.headers.fields.firstIndex { $0.name.equalsIgnoringASCIICase(name) }
        request.headers.fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
        let fields = values.map { HeaderFields.Field(name: name, value: $0) }
        request.headers.fields.insert(
            contentsOf: fields,
            at: min(place ?? request.headers.fields.count, request.headers.fields.count)
        )
    }

    /// Sends the request to another address, with the same query.
    mutating func setAddress(_ address: String) {
        request.url = RecordedURL(address + (request.url.query.map { "?\($0)" } ?? ""))
    }

    /// Sends the same parameters in another way.
    mutating func setCarrier(_ carrier: RequestCarrier) {
        request.method = carrier.method
        setHeader("Content-Type", to: carrier.mediaType.map { [$0] } ?? [])
        guard format != .other, carrier.format != .other else { return }
        let isQuery = carrier.format == .none
        // What stands in the query beside a body stays there.
        let moved = isQuery || format == .none ? items : items.filter(\.isInBody)
        let query = isQuery ? items : format == .none ? [] : items.filter { !$0.isInBody }
        let text = Self.text(query)
        request.url = RecordedURL(request.url.withoutQuery + (text.isEmpty ? "" : "?\(text)"))
        switch carrier.format {
        case .none, .other: request.body = nil
        case .form: request.body = Body(text: Self.text(moved), mediaType: carrier.mediaType)
        case .json:
            let object = JSONObject(moved.map { ($0.name, JSONValue.string($0.value)) })
            request.body = Body(text: JSONWriter.text(of: .object(object)), mediaType: carrier.mediaType)
        }
        self = RequestEditor(request)
    }
}

/// How a request carries its parameters.
struct RequestCarrier: Hashable {
    var method: String
    var format: RequestEditor.Format
    /// Of the body, without parameters; nil where none is named.
    var mediaType: String?

    init(of request: RecordedRequest) {
        method = request.method
        format = RequestEditor(request).format
        let type = request.headers.first("content-type").flatMap { $0.isEmpty ? nil : $0 }
        let essence = type.flatMap { Body(content: .missing, mediaType: $0).essence } ?? request.body?.essence
        mediaType = format == .none || essence?.isEmpty ?? true ? nil : essence
    }

    /// `POST, application/json`.
    var words: String {
        let body =
            switch format {
            case .none: "parameters in the query"
            case .form: mediaType == FormBody.mediaType ? "a form" : "a form as \(mediaType ?? "no type")"
            case .json: mediaType == "application/json" ? "JSON" : "JSON as \(mediaType ?? "no type")"
            case .other: mediaType ?? "a body"
            }
        return "\(method), \(body)"
    }
}
