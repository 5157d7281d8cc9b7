import Captures
import JSON

extension RecordedRequest {
    /// The items of a form, however the client named it; of a JSON object, its members.
    var sentForm: QueryItems {
        if let items = FormBody.items(of: body) { return items }
        guard let object = JSONBody.value(of: body)?.object else {
            return QueryItems()
        }
        return QueryItems(
            items: object.members.compactMap { member in
                member.value.string.map { QueryItems.Item(name: member.name, value: $0, rawValue: $0) }
            }
        )
    }
}
