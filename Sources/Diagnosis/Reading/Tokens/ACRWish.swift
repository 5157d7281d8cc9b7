import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The way of signing in that a login asks for: in `claims`, else in `acr_values` (OpenID Connect Core, section 5.5.1.1).
struct ACRWish {
    /// Empty where any will do, which has to be there then.
    var values: [String]
    var isEssential: Bool
    var parameter: Parameter

    /// A higher level than was wished for is as good; what is essential has to be one of the values (section 5.5.1.1).
    func isMet(by acr: String) -> Bool {
        if values.isEmpty || values.contains(acr) { return true }
        guard !isEssential, let level = AssuranceLevel(acr) else { return false }
        return values.contains { AssuranceLevel($0).map(level.includes) ?? false }
    }

    /// What a login asks for and an ID token does not tell of; nil where it does, or nothing is asked for.
    static func unmet(by claims: JSONObject, of request: AuthorizationRequest) -> ACRWish? {
        guard let wish = ACRWish(of: request) else { return nil }
        guard let seen = claims["acr"], seen != .null else { return wish }
        return wish.isMet(by: seen.string ?? JSONWriter.text(of: seen)) ? nil : wish
    }

    /// Whether nobody knows what was asked for: a mark is in its place.
    var isTakenOut: Bool { Placeholder.isTakenOut(parameter.value) }

    var evidence: Evidence {
        Evidence(place: parameter.place, value: shown, note: isEssential ? "essential" : nil)
    }

    var shown: String {
        values.isEmpty ? "acr" : Masking.shown(values.prefix(10).joined(separator: ", "), of: "acr")
    }

    init?(of request: AuthorizationRequest) {
        let wished = request.parameters.parameter("acr_values").flatMap { $0.value.isEmpty ? nil : $0 }
        if let claims = request.parameters.parameter("claims"),
            let acr = (try? JSONParser.parse(Array(claims.value.utf8)))?["id_token"]?["acr"]?.object
        {
            values =
                (acr["value"]?.string).map { [$0] } ?? acr["values"]?.array?.compactMap(\.string) ?? []
            isEssential = acr["essential"]?.bool ?? false
            parameter = claims
            if !values.isEmpty || isEssential && wished == nil { return }
        }
        guard let wished else { return nil }
        values = wished.value.spaceDelimited
        isEssential = false
        parameter = wished
        if values.isEmpty { return nil }
    }
}
