/// Placeholder.
enum RubyPreload { static let text = "" }
