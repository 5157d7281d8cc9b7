import Captures

/// What was typed into fields for passwords, whatever they are called: the page says which those are.
enum PasswordFields {
    /// Names and values of such fields, in the forms that were sent where a page has them sent to.
    static func typed(in capture: Capture) -> [(name: String, value: String)] {
        var names: [String: Set<String>] = [:]
        for index in capture.indices {
            let exchange = capture[index]
            guard let body = exchange.response?.body, body.isPage, (body.size ?? 0) < largest,
                let page = body.bytes
            else { continue }
            for form in HTMLForm.all(in: page) {
                let fields = form.fields.filter { $0.type == "password" }.map(\.name)
                guard !fields.isEmpty, let origin = exchange.request.url.resolving(form.action).origin else {
                    continue
                }
                names[origin, default: []].formUnion(fields)
            }
        }
        guard !names.isEmpty else { return [] }
        return capture.indices.flatMap { index -> [(name: String, value: String)] in
            let request = capture[index].request
            guard request.method == "POST", let fields = request.url.origin.flatMap({ names[$0] }),
                let form = FormBody.items(of: request.body)
            else { return [] }
            return form.items.filter { fields.contains($0.name) && !$0.value.isEmpty }
                .map { ($0.name, $0.value) }
        }
    }

    /// In bytes.
    private static let largest = 1 << 20
}
