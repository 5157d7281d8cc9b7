/// Placeholder.
enum NodePreload { static let text = "" }
