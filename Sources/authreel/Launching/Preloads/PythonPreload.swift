/// Placeholder.
enum PythonPreload { static let text = "" }
