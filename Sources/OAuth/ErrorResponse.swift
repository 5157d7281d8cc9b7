package import Captures

/// An OAuth error (RFC 6749, sections 4.1.2.1 and 5.2).
package struct ErrorResponse: Sendable, Hashable {
    package var error: String
    package var description: String?
    package var uri: String?
    package var place: Place

    package init(error: String, description: String? = nil, uri: String? = nil, place: Place) {
        self.error = error
        self.description = description
        self.uri = uri
        self.place = place
    }

    /// Nil where the parameters carry no error.
    package init?(_ parameters: Parameters) {
        guard let error = parameters.parameter("error"), !error.value.isEmpty else { return nil }
        self.init(
            error: error.value,
            description: parameters["error_description"],
            uri: parameters["error_uri"],
            place: error.place
        )
    }

    /// Error and description in one line.
    package var text: String { description.map { "\(error): \($0)" } ?? error }
}
