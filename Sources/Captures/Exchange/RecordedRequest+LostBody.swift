extension RecordedRequest {
    /// Whether it is one that carries a body, and the capture has none: nil where nothing in it says that it carried one.
    package var hasLostBody: Bool? {
        guard ["POST", "PUT", "PATCH"].contains(method.uppercased()), !(body?.isRecorded ?? false) else {
            return false
        }
        if let length = headers.first("content-length").flatMap({ Int($0) }) { return length > 0 }
        return headers.contains("content-type") || body != nil ? true : nil
    }
}
