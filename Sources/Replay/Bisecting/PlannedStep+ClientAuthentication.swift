import Captures
import OAuth

extension PlannedStep {
    /// How the client proves in the request who it is.
    var clientAuthentication: ClientAuthentication {
        let items = RequestEditor(request).items
        let query = QueryItems(
            items: items.map { QueryItems.Item(name: $0.name, value: $0.value, rawValue: $0.value) }
        )
        return ClientAuthentication(
            of: request,
            exchange: exchange,
            parameters: Parameters(query, of: exchange, in: .requestBody)
        )
    }
}
