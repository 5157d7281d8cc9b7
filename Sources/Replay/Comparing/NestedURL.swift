import Captures
import OAuth

/// A URL in a parameter, by which a page knows where to go on: its query is parameters, too.
enum NestedURL {
    /// Adds what is in it; false where it is none.
    static func add(_ parameter: Parameter, in part: Place.Part, to list: inout FactList) -> Bool {
        let url = RecordedURL(parameter.value)
        guard url.isWeb, url.query != nil else { return false }
        list.add(
            parameter.place,
            .init(url.withoutQuery, .url),
            as: .init(part: part),
            weighing: .init(presence: .note)
        )
        for item in url.queryItems.items.prefix(40) {
            let treatment = VolatileNames.treatment(of: item.name)
            list.add(
                parameter.place,
                .init(item.value, treatment, elements: treatment == .set ? item.value.spaceDelimited : []),
                as: .init(name: "\(parameter.name)?\(item.name)", part: part),
                weighing: .init(presence: .note)
            )
        }
        return true
    }
}
