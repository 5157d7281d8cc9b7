import Captures

/// What the pages of a flow carry on to the next: values of their URLs and forms that are long enough to tell them from
/// another flow's.
///
/// What somebody types is none of them: who signs in again has the same name and password.
struct CarriedValues {
    /// The flows that have a value, the latest last.
    private var flows: [String: [FlowBuilder]] = [:]
    /// Names of the fields that the pages leave to the user.
    private var typed: Set<String> = []

    /// In UTF-8.
    private static let minimumLength = 12
    /// A value of more flows tells none of them apart: the latest stand for all.
    private static let maximumFlows = 32

    /// Remembers the values of an exchange's request and answer; `page` is what it brought.
    mutating func learn(_ exchange: Exchange, page: PageReading?, of flow: FlowBuilder) {
        learn(exchange.request.url.queryItems, of: flow)
        for item in untyped(exchange) { learn(item.value, of: flow) }
        if let location = exchange.response?.location { learn(RecordedURL(location).queryItems, of: flow) }
        for form in page?.forms ?? [] {
            learn(RecordedURL(form.action).queryItems, of: flow)
            for field in form.fields {
                if Self.isLeftToUser(field) { typed.insert(field.name) }
                if !typed.contains(field.name) { learn(field.value, of: flow) }
            }
        }
    }

    /// The fields of a form that was sent, but for those that the user filled in.
    private func untyped(_ exchange: Exchange) -> [QueryItems.Item] {
        (FormBody.items(of: exchange.request.body)?.items ?? []).filter { !typed.contains($0.name) }
    }

    private static func isLeftToUser(_ field: HTMLForm.Field) -> Bool {
        ["password", "email", "tel"].contains(field.type) || field.type == "text" && field.value.isEmpty
    }

    private mutating func learn(_ items: QueryItems, of flow: FlowBuilder) {
        for item in items.items { learn(item.value, of: flow) }
    }

    private mutating func learn(_ value: String, of flow: FlowBuilder) {
        guard value.utf8.count >= Self.minimumLength else { return }
        var list = flows[value, default: []]
        guard !list.contains(where: { $0 === flow }) else { return }
        if list.count == Self.maximumFlows { list.removeFirst() }
        list.append(flow)
        flows[value] = list
    }

    /// The flow whose pages have most values in common with an exchange's request, of several the latest; nil where none has
    /// any.
    func nearest(to exchange: Exchange, where isCandidate: (FlowBuilder) -> Bool) -> FlowBuilder? {
        let items = exchange.request.url.queryItems.items + untyped(exchange)
        var counts: [Int: (flow: FlowBuilder, count: Int)] = [:]
        for value in Set(items.map(\.value)) {
            for flow in flows[value] ?? [] { counts[flow.number, default: (flow, 0)].count += 1 }
        }
        return counts.values.filter { isCandidate($0.flow) }
            .max { ($0.count, $0.flow.number) < ($1.count, $1.flow.number) }?.flow
    }
}
