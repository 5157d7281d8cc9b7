import JSON
import OAuth

/// Kubernetes' API server, which takes the ID tokens of its users (`--oidc-issuer-url`) and says so of none that it refuses.
enum KubernetesAPI {
    /// Whether an answer is one of its own: an object of the kind `Status`.
    static func isOne(_ answer: Answer) -> Bool {
        guard let object = answer.json else { return false }
        return object["kind"]?.string == "Status" && object["apiVersion"]?.string == "v1"
            && object["reason"]?.string != nil
    }
}
