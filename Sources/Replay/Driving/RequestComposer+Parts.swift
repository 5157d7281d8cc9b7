import Captures
import Flows
import JSON

/// URL and body of a request of this run.
extension RequestComposer {
    func url(of recorded: RecordedRequest, _ step: PlannedStep, _ replacements: Replacements)
        -> RecordedURL
    {
        // The address of a client's registration is the provider's word (RFC 7592, section 3).
        if step.parameters.contains(where: { $0.part == .requestURL }),
            let live = values[recorded.url.text].map({ RecordedURL($0) }), live.isWeb
        {
            return live
        }
        let (endpoint, query) =
            map.moved(recorded.url) ?? (RecordedURL(recorded.url.withoutQuery), recorded.url.query)
        // Identifiers in a path are long ones.
        var text = endpoint.withoutQuery
        if endpoint.path.utf8.count >= 8 {
            let base = text.dropLast(endpoint.path.count)
            text = base + values.replacing(in: endpoint.path)
        }
        // What the mapped endpoint has in its own query comes first.
        let own = endpoint.query.map { [$0] } ?? []
        let isForm = FormBody.items(of: recorded.body) != nil
        let queries =
            own
            + [items(query ?? "", step, replacements, addsMissing: !isForm)]
            .filter { !$0.isEmpty }
        return RecordedURL(queries.isEmpty ? text : text + "?" + queries.joined(separator: "&"))
    }

    /// A query or form body; what does not change keeps its bytes.
    private func items(
        _ raw: String,
        _ step: PlannedStep,
        _ replacements: Replacements,
        addsMissing: Bool
    ) -> String {
        var pairs: [String] = []
        var names: Set<String> = []
        for pair in raw.utf8.split(separator: 0x26) {
            let text = String(Substring(pair))
            guard let item = QueryItems(text).items.first else { continue }
            names.insert(item.name)
            let live = replacements.value(of: item.name, item.value)
            if live == item.value, replacements.overrides[item.name] == nil {
                pairs.append(text)
            } else if !live.isEmpty || replacements.overrides[item.name] == nil {
                let name = text.prefix { $0 != "=" }
                pairs.append("\(name)=\(PercentEncoding.encode(live))")
            }
        }
        guard addsMissing, let kind = step.kind?.rawValue else { return pairs.joined(separator: "&") }
        // A parameter that the recording lacks is added where its step is named.
        for (name, value) in overrides.sorted(by: { $0.key < $1.key })
        where name.hasPrefix(kind + ".") && !value.isEmpty {
            let bare = String(name.dropFirst(kind.count + 1))
            if !names.contains(bare) {
                pairs.append("\(PercentEncoding.encode(bare))=\(PercentEncoding.encode(value))")
            }
        }
        return pairs.joined(separator: "&")
    }

    func body(of recorded: RecordedRequest, _ step: PlannedStep, _ replacements: Replacements)
        -> Body?
    {
        guard let body = recorded.body else { return nil }
        if let form = FormBody.items(of: body) {
            let type = body.mediaType ?? FormBody.mediaType
            // What is not encoded and no UTF-8 either goes as it came.
            if let bytes = body.bytes, String(validating: bytes, as: UTF8.self) == nil {
                let raw = String(FormBody.withoutLineEnd(Latin1.text(of: bytes)))
                if let made = Latin1.bytes(of: items(raw, step, replacements, addsMissing: true)) {
                    return Body(content: .bytes(made), mediaType: type, size: made.count)
                }
            }
            let raw =
                body.text.map { String(FormBody.withoutLineEnd($0)) }
                ?? FormBody.encode(form.items.map { ($0.name, $0.value) })
            return Body(text: items(raw, step, replacements, addsMissing: true), mediaType: type)
        }
        if let made = MultipartForm.body(body, replacing: { replacements.value(of: $0, $1) }) { return made }
        guard let bytes = body.bytes else { return nil }
        if let json = try? JSONParser.parse(bytes) {
            return Body(
                text: JSONWriter.text(of: replaced(json, replacements)),
                mediaType: body.mediaType ?? "application/json"
            )
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return Body(content: .bytes(bytes), mediaType: body.mediaType, size: bytes.count)
        }
        return Body(text: values.replacing(in: text), mediaType: body.mediaType)
    }

    private func replaced(_ value: JSONValue, _ replacements: Replacements, name: String? = nil) -> JSONValue
    {
        switch value {
        case .string(let text):
            return .string(name.map { replacements.value(of: $0, text) } ?? replacements.text(text))
        case .array(let elements): return .array(elements.map { replaced($0, replacements, name: name) })
        case .object(var object):
            object.members = object.members.map { member in
                JSONObject.Member(
                    name: member.name,
                    value: replaced(member.value, replacements, name: member.name)
                )
            }
            return .object(object)
        default: return value
        }
    }
}
