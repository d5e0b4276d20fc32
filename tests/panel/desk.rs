//! A game with the panel open, and someone who sits in front of it.

use bevy::{
    asset::AssetPlugin,
    camera::{ComputedCameraValues, RenderTargetInfo},
    ecs::schedule::ScheduleLabel,
    image::Image,
    input::InputPlugin,
    mesh::skinning::SkinnedMeshInverseBindposes,
    prelude::*,
    shader::Shader,
    window::{PrimaryWindow, WindowPlugin},
};
use bevy_aoi::prelude::*;
use bevy_egui::{
    EguiContext, EguiContextSettings, EguiFullOutput, EguiPlugin, EguiPrimaryContextPass, egui,
};
use egui::{Pos2, Rect, Shape, pos2, vec2};

/// Size of the window.
pub const SIZE: [f32; 2] = [1280.0, 720.0];

/// The app, and what the screen shows.
pub struct Desk {
    pub app: App,
    pub camera: Entity,
    /// The texts drawn by the last frame, with their places and the areas they are clipped to.
    pub texts: Vec<Text>,
    /// What egui asked the system to put into the clipboard.
    pub copied: Vec<String>,
    time: f64,
}

/// A piece of text on the screen.
#[derive(Debug, Clone)]
pub struct Text {
    pub text: String,
    pub rect: Rect,
    pub clip: Rect,
}

impl Text {
    fn is_visible(&self) -> bool {
        let seen = self.rect.intersect(self.clip);
        seen.is_positive() && seen.area() > self.rect.area() * 0.5
    }
}

/// An app that could have a window and has none.
pub fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins,
        InputPlugin,
        AssetPlugin::default(),
        WindowPlugin {
            primary_window: Some(Window {
                resolution: (SIZE[0] as u32, SIZE[1] as u32).into(),
                ..default()
            }),
            ..default()
        },
    ))
    .init_asset::<Image>()
    .init_asset::<Shader>()
    .init_asset::<Mesh>()
    .init_asset::<SkinnedMeshInverseBindposes>();
    app
}

/// A camera from above: a unit is a pixel, the origin in the middle, x to the right, y up.
pub fn camera() -> impl Bundle {
    let [width, height] = SIZE;
    let computed = ComputedCameraValues {
        clip_from_view: Mat4::orthographic_rh(
            -width / 2.0,
            width / 2.0,
            -height / 2.0,
            height / 2.0,
            1000.0,
            -1000.0,
        ),
        target_info: Some(RenderTargetInfo {
            physical_size: UVec2::new(width as u32, height as u32),
            scale_factor: 1.0,
        }),
        ..default()
    };
    let camera = Camera {
        computed,
        ..default()
    };
    (camera, Transform::default())
}

impl Desk {
    /// A game in two dimensions with the panel open.
    pub fn new() -> Self {
        Self::with(AoiPlugin::xy())
    }

    pub fn with<P: AoiPosition>(plugin: AoiPlugin<P>) -> Self {
        let mut app = app();
        app.add_plugins((plugin, EguiPlugin::default(), AoiPanelPlugin::default()));
        Self::of(app)
    }

    pub fn of(mut app: App) -> Self {
        let camera = app.world_mut().spawn(camera()).id();
        app.finish();
        app.cleanup();
        app.update();
        let mut desk = Self {
            app,
            camera,
            texts: Vec::new(),
            copied: Vec::new(),
            time: 0.0,
        };
        desk.panel().open = true;
        desk.take_over(camera);
        desk
    }

    /// The passes of this context are run here.
    pub fn take_over(&mut self, camera: Entity) {
        let settings = EguiContextSettings {
            run_manually: true,
            ..default()
        };
        self.app.world_mut().entity_mut(camera).insert(settings);
    }

    pub fn panel(&mut self) -> Mut<'_, AoiPanel> {
        self.app.world_mut().resource_mut()
    }

    pub fn spawn(&mut self, bundle: impl Bundle) -> Entity {
        self.app.world_mut().spawn(bundle).id()
    }

    /// A named viewer and target at a place.
    pub fn walker(&mut self, name: &str, x: f32, y: f32, radius: f32) -> Entity {
        self.spawn((
            Name::new(name.to_owned()),
            Transform::from_xyz(x, y, 0.0),
            AoiViewer::new(radius),
            AoiTarget::default(),
        ))
    }

    /// One frame: the pass in which the panel is drawn, with some input, then an update.
    pub fn frame(&mut self, events: Vec<egui::Event>) {
        self.frame_in(self.camera, EguiPrimaryContextPass, events);
    }

    /// The same for the context of another camera.
    pub fn frame_in(
        &mut self,
        camera: Entity,
        schedule: impl ScheduleLabel + Clone,
        events: Vec<egui::Event>,
    ) {
        self.time += 1.0 / 60.0;
        let world = self.app.world_mut();
        let context = world
            .get_mut::<EguiContext>(camera)
            .map(|mut context| context.get_mut().clone());
        if let Some(context) = context {
            let input = egui::RawInput {
                screen_rect: Some(Rect::from_min_size(Pos2::ZERO, SIZE.into())),
                time: Some(self.time),
                events,
                ..default()
            };
            let output = context.run_ui(input, |_| {
                world.try_run_schedule(schedule.clone()).ok();
            });
            self.texts.clear();
            for shape in &output.shapes {
                read(&shape.shape, shape.clip_rect, &mut self.texts);
            }
            for command in &output.platform_output.commands {
                if let egui::OutputCommand::CopyText(text) = command {
                    self.copied.push(text.clone());
                }
            }
            // Drawing it takes longer than all else here, and nobody looks at it.
            let output = egui::FullOutput {
                shapes: Vec::new(),
                ..output
            };
            world
                .entity_mut(camera)
                .insert(EguiFullOutput(Some(output)));
        }
        self.app.update();
    }

    /// Frames until what happened is on the screen. egui draws a new window from its second frame.
    pub fn settle(&mut self) {
        for _ in 0..4 {
            self.frame(Vec::new());
        }
    }

    pub fn show(&mut self, tab: AoiTab) {
        self.panel().tab = tab;
        self.settle();
    }

    /// Whether a text can be read, alone or as a part of a longer one.
    pub fn reads(&self, text: &str) -> bool {
        let mut visible = self.texts.iter().filter(|it| it.is_visible());
        visible.any(|it| it.text.contains(text))
    }

    /// All that can be read, a line for each piece.
    pub fn all(&self) -> String {
        let visible = self.texts.iter().filter(|text| text.is_visible());
        let lines: Vec<_> = visible.map(|text| text.text.as_str()).collect();
        lines.join("\n")
    }

    #[track_caller]
    pub fn must_read(&self, text: &str) {
        assert!(self.reads(text), "{text:?} is not in:\n{}", self.all());
    }

    /// Where a whole piece of text is: the n-th of those that are equal.
    #[track_caller]
    pub fn place_of(&self, text: &str, nth: usize) -> Rect {
        let same = |it: &&Text| it.is_visible() && it.text.trim() == text;
        let found = self.texts.iter().filter(same).nth(nth);
        let found = found.unwrap_or_else(|| panic!("no {text:?} among:\n{}", self.all()));
        found.rect.intersect(found.clip)
    }

    #[track_caller]
    pub fn click(&mut self, text: &str) {
        self.click_nth(text, 0);
    }

    #[track_caller]
    pub fn click_nth(&mut self, text: &str, nth: usize) {
        let at = self.place_of(text, nth).center();
        self.click_at(at);
    }

    pub fn click_at(&mut self, at: Pos2) {
        self.drag(at, at);
    }

    pub fn drag(&mut self, from: Pos2, to: Pos2) {
        let button = |pos, pressed| egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        self.frame(vec![egui::Event::PointerMoved(from)]);
        self.frame(vec![button(from, true)]);
        if from != to {
            self.frame(vec![egui::Event::PointerMoved(from + (to - from) * 0.5)]);
            self.frame(vec![egui::Event::PointerMoved(to)]);
        }
        self.frame(vec![button(to, false)]);
        // Hints show under a pointer that rests, and would be read as well.
        self.frame(vec![egui::Event::PointerMoved(pos2(1279.0, 719.0))]);
        self.settle();
    }

    /// Types into the field that has the keyboard.
    pub fn write(&mut self, text: &str) {
        self.frame(vec![egui::Event::Text(text.into())]);
        self.settle();
    }

    pub fn press(&mut self, key: egui::Key, modifiers: egui::Modifiers) {
        let event = |pressed| egui::Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers,
        };
        self.frame(vec![event(true)]);
        self.frame(vec![event(false)]);
        self.settle();
    }

    /// A number is typed in place of the one that is shown.
    #[track_caller]
    pub fn enter(&mut self, shown: &str, number: &str) {
        self.enter_nth(shown, 0, number);
    }

    #[track_caller]
    pub fn enter_nth(&mut self, shown: &str, nth: usize, number: &str) {
        self.click_nth(shown, nth);
        self.press(egui::Key::A, egui::Modifiers::COMMAND);
        self.write(number);
        self.press(egui::Key::Enter, egui::Modifiers::NONE);
    }

    /// The mouse is clicked over the world, not over the panel: the window hears it.
    pub fn click_world(&mut self, x: f32, y: f32) {
        let cursor = Vec2::new(SIZE[0] / 2.0 + x, SIZE[1] / 2.0 - y);
        self.frame(vec![egui::Event::PointerMoved(pos2(cursor.x, cursor.y))]);
        self.point(Some(cursor));
        self.button(true);
        self.button(false);
        self.settle();
    }

    pub fn point(&mut self, cursor: Option<Vec2>) {
        let world = self.app.world_mut();
        let mut windows = world.query_filtered::<&mut Window, With<PrimaryWindow>>();
        let mut window = windows.single_mut(world).unwrap();
        window.set_cursor_position(cursor);
    }

    pub fn button(&mut self, pressed: bool) {
        use bevy::input::{ButtonState, mouse::MouseButtonInput};
        let state = if pressed {
            ButtonState::Pressed
        } else {
            ButtonState::Released
        };
        let button = MouseButton::Left;
        let window = Entity::PLACEHOLDER;
        self.app.world_mut().write_message(MouseButtonInput {
            button,
            state,
            window,
        });
        self.frame(Vec::new());
    }

    /// Nothing is written over something else, and nothing is cut off at the edges of its area.
    #[track_caller]
    pub fn is_tidy(&self) {
        let texts: Vec<_> = self.texts.iter().filter(|text| text.is_visible()).collect();
        for (at, one) in texts.iter().enumerate() {
            assert!(
                one.clip.x_range().expand(2.0).contains(one.rect.left())
                    && one.clip.x_range().expand(2.0).contains(one.rect.right()),
                "{:?} is cut off: {:?} in {:?}",
                one.text,
                one.rect,
                one.clip
            );
            for other in &texts[at + 1..] {
                let both = one.rect.intersect(other.rect).shrink2(vec2(1.0, 2.0));
                assert!(
                    !both.is_positive(),
                    "{:?} and {:?} are written over each other: {:?}, {:?}",
                    one.text,
                    other.text,
                    one.rect,
                    other.rect
                );
            }
        }
    }
}

/// Collects the texts of a shape.
fn read(shape: &Shape, clip: Rect, texts: &mut Vec<Text>) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().for_each(|shape| read(shape, clip, texts)),
        Shape::Text(shape) if !shape.galley.text().trim().is_empty() => texts.push(Text {
            text: shape.galley.text().to_owned(),
            rect: shape.visual_bounding_rect(),
            clip,
        }),
        _ => {}
    }
}
